package dev.berth.store;

import dev.berth.engine.port.StoreFailure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;

/** What SQLite's result codes mean to Berth. */
final class Failures {

    private static final int IO_ERROR = 10;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANNOT_OPEN = 14;
    private static final int CONSTRAINT = 19;
    private static final int NOT_A_DATABASE = 26;

    /** With less than this a file cannot grow by a page and its log. */
    private static final long NO_SPACE_BYTES = 64 * 1024;

    private Failures() {}

    static boolean isBrokenRule(SQLException e) {
        return code(e) == CONSTRAINT;
    }

    /** The file itself is bad: trying again will not help. */
    static boolean isDamage(SQLException e) {
        return code(e) == CORRUPT || code(e) == NOT_A_DATABASE;
    }

    static StoreFailure of(String doing, Path file, SQLException e) {
        var kind = kind(code(e), () -> hasNoSpace(file));
        return new StoreFailure(kind, "cannot " + doing + " in " + file + ": " + e.getMessage(), e);
    }

    /**
     * A full disk is not always told as such: shared memory that cannot grow and a log that cannot
     * be made are reported as I/O errors.
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
            // Not even that can be read: the disk is failing rather than full.
            return false;
        }
    }

    /** The upper bits only say more about the same. */
    private static int code(SQLException e) {
        return e.getErrorCode() & 0xff;
    }
}
