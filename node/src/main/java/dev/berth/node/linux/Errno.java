package dev.berth.node.linux;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Error numbers of Linux that Berth distinguishes. They are equal on x86-64 and arm64. */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EIO = 5;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int ESTALE = 116;
    public static final int EDQUOT = 122;

    private static final int LAST = 133;

    /**
     * The JDK keeps only the text of an error. It comes from the same function and locale as these
     * texts, so it can be looked up.
     */
    private static final Map<String, Integer> BY_TEXT =
            IntStream.rangeClosed(1, LAST)
                    .boxed()
                    .collect(
                            Collectors.toUnmodifiableMap(
                                    Libc::text, errno -> errno, (first, _) -> first));

    private Errno() {}

    /** The error number behind an exception; empty if no system call caused it. */
    public static OptionalInt of(IOException failure) {
        return switch (failure) {
            case ErrnoException error -> OptionalInt.of(error.errno());
            case AccessDeniedException _ -> OptionalInt.of(EACCES);
            case NoSuchFileException _ -> OptionalInt.of(ENOENT);
            case FileSystemException error -> ofText(error.getReason());
            default -> ofText(failure.getMessage());
        };
    }

    private static OptionalInt ofText(@Nullable String text) {
        var errno = text == null ? null : BY_TEXT.get(text);
        return errno == null ? OptionalInt.empty() : OptionalInt.of(errno);
    }
}
