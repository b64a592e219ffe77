package dev.berth.store;

import dev.berth.port.StoreFailure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;

/** Translates SQLite's result codes. */
final class SqliteErrors {

    private static final int IO_ERROR = 10;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANNOT_OPEN = 14;
    private static final int CONSTRAINT = 19;
    private static final int NOT_A_DATABASE = 26;

    /** With less free space, neither the database nor its log can grow. */
    private static final long NO_SPACE_BYTES = 64 * 1024;

    private SqliteErrors() {}

    static boolean isConstraintViolation(SQLException e) {
        return code(e) == CONSTRAINT;
    }

    /** True if the file itself is damaged, so that a retry cannot help. */
    static boolean isCorruption(SQLException e) {
        return e instanceof DamagedRow || code(e) == CORRUPT || code(e) == NOT_A_DATABASE;
    }

    static StoreFailure of(String doing, Path file, SQLException e) {
        var kind =
                isCorruption(e) ? StoreFailure.Kind.DAMAGED : kind(code(e), () -> hasNoSpace(file));
        return new StoreFailure(kind, "cannot " + doing + " in " + file + ": " + e.getMessage(), e);
    }

    /**
     * SQLite does not report every full disk as such: if shared memory cannot grow or the log
     * cannot be created, it reports an I/O error.
     */
    static StoreFailure.Kind kind(int code, BooleanSupplier diskIsFull) {
        return switch (code) {
            case FULL -> StoreFailure.Kind.FULL;
            case IO_ERROR, CANNOT_OPEN ->
                    diskIsFull.getAsBoolean()
                            ? StoreFailure.Kind.FULL
                            : StoreFailure.Kind.UNAVAILABLE;
            default -> StoreFailure.Kind.UNAVAILABLE;
        };
    }

    private static boolean hasNoSpace(Path file) {
        try {
            return Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace()
                    < NO_SPACE_BYTES;
        } catch (IOException e) {
            // If even this cannot be read, the disk is failing rather than full.
            return false;
        }
    }

    /** The primary result code; the upper bits of an extended code only refine it. */
    private static int code(SQLException e) {
        return e.getErrorCode() & 0xff;
    }
}
