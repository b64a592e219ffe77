package dev.berth.notify;

import jakarta.activation.DataHandler;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.util.ByteArrayDataSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** Makes a mail of a notification, in ASCII only. */
final class MailFormat {

    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, d MMM yyyy HH:mm:ss Z", Locale.ROOT);

    private static final String TEXT = "text/plain; charset=utf-8";

    /** RFC 2047 limits a line with an encoded word to 76 characters, including the header name. */
    private static final int MAX_WORD_BYTES = 39;

    private MailFormat() {}

    static MimeMessage message(Notification note, String from, List<String> to, Instant now) {
        try {
            var mail = new Mail(UUID.randomUUID() + from.substring(from.indexOf('@')));
            mail.setHeader("Date", DATE.format(now.atOffset(ZoneOffset.UTC)));
            mail.setHeader("From", "Berth <" + from + ">");
            mail.setHeader("To", String.join(",\r\n ", to));
            mail.setHeader("Subject", encodeHeader(note.title()));
            // Suppresses out-of-office replies.
            mail.setHeader("Auto-Submitted", "auto-generated");
            var body = body(note).getBytes(StandardCharsets.UTF_8);
            mail.setDataHandler(new DataHandler(new ByteArrayDataSource(body, TEXT)));
            mail.setHeader("Content-Type", TEXT);
            mail.setHeader("Content-Transfer-Encoding", "base64");
            mail.saveChanges();
            return mail;
        } catch (MessagingException e) {
            throw new IllegalStateException("a mail cannot be built", e);
        }
    }

    /** By default a Message-ID is made from the name of this machine, which needs a lookup. */
    private static final class Mail extends MimeMessage {
        private final String id;

        Mail(String id) {
            super((Session) null);
            this.id = id;
        }

        @Override
        protected void updateMessageID() throws MessagingException {
            setHeader("Message-ID", "<" + id + ">");
        }
    }

    private static String body(Notification note) {
        var link = note.link().map(one -> "\n\n" + one.label() + ": " + one.url()).orElse("");
        return (note.title() + "\n\n" + note.text() + link + "\n").replace("\n", "\r\n");
    }

    /**
     * Encodes a header by RFC 2047, ASCII too, which the mail library would leave as it is: neither
     * a line break nor an encoded word in the name of a task is interpreted.
     */
    static String encodeHeader(String text) {
        var encodedWords = new ArrayList<String>();
        var part = new StringBuilder();
        int bytes = 0;
        for (int codePoint : text.codePoints().toArray()) {
            var character = Character.toString(codePoint);
            int more = character.getBytes(StandardCharsets.UTF_8).length;
            if (bytes + more > MAX_WORD_BYTES) {
                encodedWords.add(encodedWord(part));
                part.setLength(0);
                bytes = 0;
            }
            part.append(character);
            bytes += more;
        }
        encodedWords.add(encodedWord(part));
        return String.join("\r\n ", encodedWords);
    }

    private static String encodedWord(CharSequence part) {
        var bytes = part.toString().getBytes(StandardCharsets.UTF_8);
        return "=?UTF-8?B?" + Base64.getEncoder().encodeToString(bytes) + "?=";
    }
}
