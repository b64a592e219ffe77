package dev.berth.node.linux;

import java.io.IOException;

/** A system call failed. */
public final class ErrnoException extends IOException {
    private static final long serialVersionUID = 1;

    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int ESRCH = 3;
    public static final int EINTR = 4;
    public static final int ENXIO = 6;
    public static final int ECHILD = 10;
    public static final int EACCES = 13;
    public static final int EISDIR = 21;
    public static final int EINVAL = 22;
    public static final int ENOSPC = 28;
    public static final int ENOSYS = 38;
    public static final int ELOOP = 40;
    public static final int EOPNOTSUPP = 95;

    private final int errno;

    ErrnoException(String call, Object subject, int errno) {
        super("%s %s: %s".formatted(call, subject, Libc.describe(errno)));
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }
}
