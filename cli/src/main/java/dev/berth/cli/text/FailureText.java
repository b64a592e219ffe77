package dev.berth.cli.text;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What failed, for people: the JDK's message of the most frequent failures is only a path. */
public final class FailureText {

    private FailureText() {}

    public static String of(IOException failure) {
        var reason =
                switch (failure) {
                    case AccessDeniedException _ -> "permission denied";
                    case NoSuchFileException _ -> "no such file or directory";
                    case NotDirectoryException _ -> "not a directory";
                    case FileAlreadyExistsException _ -> "exists already";
                    default -> null;
                };
        var text = String.valueOf(failure.getMessage());
        if (reason != null && ((FileSystemException) failure).getReason() == null) {
            text += ": " + reason;
        }
        return SafeText.line(text);
    }
}
