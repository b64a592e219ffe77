package dev.berth.node;

import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.MachineFault.Kind;
import dev.berth.node.linux.Errno;

import java.io.IOException;

/**
 * Which fault of the machine an error during a launch is. Until the command's shell runs, Berth
 * touches only its own files, so every error of the system is a fault of the machine.
 */
final class MachineFaults {

    private MachineFaults() {}

    static MachineFault of(IOException failure) {
        if (failure instanceof MachineFaultException known) {
            return known.fault();
        }
        var errno = Errno.of(failure);
        var kind = errno.isPresent() ? kind(errno.getAsInt()) : Kind.OTHER;
        return new MachineFault(kind, message(failure));
    }

    /** No thread could be created; the heap's own errors end the server. */
    static MachineFault of(OutOfMemoryError failure) {
        return new MachineFault(Kind.PROCESS_LIMIT, message(failure));
    }

    static Kind kind(int errno) {
        return switch (errno) {
            case Errno.ENOSPC, Errno.EDQUOT -> Kind.DISK_FULL;
            case Errno.EACCES, Errno.EPERM, Errno.EROFS -> Kind.NOT_WRITABLE;
            case Errno.EIO, Errno.ESTALE -> Kind.IO_ERROR;
            case Errno.EAGAIN -> Kind.PROCESS_LIMIT;
            case Errno.ENOMEM -> Kind.OUT_OF_MEMORY;
            case Errno.EMFILE, Errno.ENFILE -> Kind.OPEN_FILES;
            case Errno.ENOENT -> Kind.MISSING_FILE;
            default -> Kind.OTHER;
        };
    }

    /** The shim recorded that it could not run the command. */
    static Ending notBegun(String step) {
        var fault =
                step.equals("process")
                        ? new MachineFault(Kind.PROCESS_LIMIT, ErrorSentence.NO_PROCESS.text())
                        : new MachineFault(Kind.OTHER, ErrorSentence.STARTER_STEP.text(step));
        return new Ending.NotLaunched(fault);
    }

    /** Berth throws plain IOExceptions with a complete message; other types need their name. */
    static String message(Throwable failure) {
        var message = failure.getMessage();
        boolean isComplete =
                failure.getClass() == IOException.class || failure instanceof MachineFaultException;
        return isComplete && message != null ? message : failure.toString();
    }

    /** A fault that no system call reported. */
    static final class MachineFaultException extends IOException {
        private static final long serialVersionUID = 1;

        private final Kind kind;

        MachineFaultException(Kind kind, String message) {
            super(message);
            this.kind = kind;
        }

        MachineFault fault() {
            return new MachineFault(kind, message(this));
        }
    }
}
