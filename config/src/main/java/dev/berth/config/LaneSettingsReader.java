package dev.berth.config;

import dev.berth.config.Configuration.BackupSettings;
import dev.berth.config.Configuration.KeepSettings;
import dev.berth.config.Configuration.LaneFiles;
import dev.berth.config.Configuration.LaneRuleSettings;
import dev.berth.config.Configuration.LaneSettings;
import dev.berth.config.Configuration.StorageSettings;
import dev.berth.config.Configuration.WorkDir;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Builds the settings of lanes and storage. Every path is resolved against the home, so a home can
 * be moved as a whole.
 */
record LaneSettingsReader(ConfigValues values, Path home) {

    /**
     * @param home made absolute: a relative path would depend on the working directory of the
     *     process
     */
    LaneSettingsReader(ConfigValues values, Path home) {
        this.values = values;
        this.home = home.toAbsolutePath().normalize();
    }

    LaneSettings lanes() throws InvalidConfigException {
        return new LaneSettings(rules(), files());
    }

    private LaneRuleSettings rules() throws InvalidConfigException {
        var maxRetries = values.find(LaneKeys.MAX_RETRIES);
        return new LaneRuleSettings(
                durationOf(LaneKeys.CHECK_TIME),
                values.get(LaneKeys.USE_ALL_GPUS),
                values.get(LaneKeys.COMPETE_GPUS),
                values.get(LaneKeys.GPUS_LEFT).intValue(),
                values.get(LaneKeys.SHARE_GPUS),
                values.get(LaneKeys.RETRIES_BEFORE_BACKOFF).intValue(),
                durationOf(LaneKeys.BACKOFF),
                maxRetries.isPresent()
                        ? OptionalInt.of(maxRetries.get().intValue())
                        : OptionalInt.empty(),
                durationOf(LaneKeys.ASSIGN_DELAY),
                durationOf(LaneKeys.START_CONFIRM_LIMIT),
                workDir());
    }

    private LaneFiles files() throws InvalidConfigException {
        return new LaneFiles(
                resolve(LaneKeys.PROCESS_JSON),
                resolve(LaneKeys.COMMANDS_PATH),
                resolve(LaneKeys.LOG_DIR),
                logRoots());
    }

    StorageSettings storage() throws InvalidConfigException {
        var runtime = resolve(LaneKeys.RUNTIME_DIR);
        return new StorageSettings(
                runtime,
                values.find(LaneKeys.DB_PATH).isPresent()
                        ? resolve(LaneKeys.DB_PATH)
                        : runtime.resolve("tasks.db"),
                values.get(ConfigKeys.HISTORY),
                new BackupSettings(
                        values.get(BackupKeys.KEEP).intValue(),
                        values.get(BackupKeys.HOUR).intValue()),
                new KeepSettings(
                        values.get(ConfigKeys.KEEP_DAYS), values.get(ConfigKeys.KEEP_TASKS)));
    }

    private Duration durationOf(ConfigKey<Long> key) {
        return Duration.ofSeconds(values.get(key));
    }

    private WorkDir workDir() throws InvalidConfigException {
        if (values.find(LaneKeys.WORK_DIR).isPresent()) {
            return new WorkDir(resolve(LaneKeys.WORK_DIR), true);
        }
        var parent = home.getParent();
        return new WorkDir(parent == null ? home : parent, false);
    }

    private List<Path> logRoots() throws InvalidConfigException {
        var roots = new ArrayList<Path>();
        for (var text : values.get(LaneKeys.LOG_ROOTS)) {
            roots.add(resolve(LaneKeys.LOG_ROOTS, text));
        }
        return roots;
    }

    private Path resolve(ConfigKey<String> key) throws InvalidConfigException {
        return resolve(key, values.get(key));
    }

    private Path resolve(ConfigKey<?> key, String text) throws InvalidConfigException {
        try {
            return home.resolve(text).normalize();
        } catch (InvalidPathException e) {
            throw new InvalidConfigException(
                    values.source(key)
                            + ": "
                            + key.name()
                            + " cannot be a path here ("
                            + e.getReason()
                            + ")");
        }
    }
}
