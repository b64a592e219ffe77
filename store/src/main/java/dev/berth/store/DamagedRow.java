package dev.berth.store;

import java.sql.SQLException;

/** A row does not match its checksum: the disk has changed it. It must not be used. */
final class DamagedRow extends SQLException {
    private static final long serialVersionUID = 1;

    DamagedRow(String table, String key, String what) {
        super("the row " + key + " of the table " + table + " " + what);
    }
}
