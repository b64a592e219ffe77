package dev.berth.server.message;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** From which mail is sent. */
public record Mailbox(
        String host, int port, Security security, Optional<Login> login, String from) {

    /** How the way to the mail server is made safe. */
    public enum Security {
        /** Before anything is said. */
        TLS,
        /** As soon as the server has shown that it can. */
        STARTTLS,
        NONE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Security of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** Who logs in. */
    public record Login(String user, Password password) {
        @Override
        public String toString() {
            return user;
        }
    }

    /** Known, or in a file that is read each time. */
    public sealed interface Password {
        record Known(String text) implements Password {
            @Override
            public String toString() {
                return "(set)";
            }
        }

        record InFile(Path file) implements Password {}

        /**
         * @throws Undelivered it can not be read
         */
        default String read() throws Undelivered {
            return switch (this) {
                case Known(String text) -> text;
                case InFile(Path file) -> {
                    try {
                        yield Files.readString(file, StandardCharsets.UTF_8).strip();
                    } catch (IOException _) {
                        throw new Undelivered("the password cannot be read from " + file);
                    }
                }
            };
        }
    }
}
