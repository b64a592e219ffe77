package dev.berth.config;

import java.util.List;

/** Keys for the backups of the database. */
final class BackupKeys {

    static final ConfigKey<Long> KEEP =
            ConfigKey.withDefault(
                    "backup_keep",
                    ValueType.wholeNumber(0, 1000),
                    7L,
                    "how many nightly backups of the database are kept; 0 makes none");
    static final ConfigKey<Long> HOUR =
            ConfigKey.withDefault(
                    "backup_hour",
                    ValueType.wholeNumber(0, 23),
                    3L,
                    "the hour of the day at which the database is checked and backed up");

    static final List<ConfigKey<?>> ALL = List.of(KEEP, HOUR);

    private BackupKeys() {}
}
