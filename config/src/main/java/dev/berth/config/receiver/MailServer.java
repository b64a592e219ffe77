package dev.berth.config.receiver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** The mail server and the sender address. */
public record MailServer(
        String host, int port, Encryption security, Optional<Login> login, String sender) {

    /** How the connection to the mail server is encrypted. */
    public enum Encryption {
        /** From the first byte. */
        TLS,
        /** After the server has offered it. */
        STARTTLS,
        NONE;

        public String configName() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Encryption of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** What {@link Login#password} is. */
    public enum LoginMethod {
        PASSWORD,
        /** An access token, which another program renews. */
        OAUTH2;

        public String configName() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static LoginMethod of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** The login at the mail server. */
    public record Login(String user, Password password, LoginMethod method) {
        public Login(String user, Password password) {
            this(user, password, LoginMethod.PASSWORD);
        }

        @Override
        public String toString() {
            return user;
        }
    }

    /** In the configuration, or in a file that is read for each mail. */
    public sealed interface Password {
        record Inline(String text) implements Password {
            @Override
            public String toString() {
                return "(set)";
            }
        }

        record InFile(Path file) implements Password {}

        /**
         * @throws IOException the password file cannot be read; the message names it
         */
        default String read() throws IOException {
            return switch (this) {
                case Inline(String text) -> text;
                case InFile(Path file) -> {
                    try {
                        yield Files.readString(file, StandardCharsets.UTF_8).strip();
                    } catch (IOException _) {
                        throw new IOException("the password cannot be read from " + file);
                    }
                }
            };
        }
    }
}
