package dev.berth.server.message;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** A note as a mail, in ASCII from beginning to end. */
final class Mail {

    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, d MMM yyyy HH:mm:ss Z", Locale.ROOT);

    /** A line with an encoded word has at most 76 letters, its header's name among them. */
    private static final int MOST_OF_A_WORD = 39;

    private Mail() {}

    static byte[] of(Note note, String from, List<String> to, Instant now) {
        var lines = new ArrayList<String>();
        lines.add("Date: " + DATE.format(now.atOffset(ZoneOffset.UTC)));
        lines.add("From: Berth <" + from + ">");
        lines.add("To: " + String.join(",\r\n ", to));
        lines.add("Subject: " + encoded(note.title()));
        lines.add("Message-ID: <" + UUID.randomUUID() + from.substring(from.indexOf('@')) + ">");
        // Nobody's absence is answered to a program.
        lines.add("Auto-Submitted: auto-generated");
        lines.add("MIME-Version: 1.0");
        lines.add("Content-Type: text/plain; charset=utf-8");
        lines.add("Content-Transfer-Encoding: base64");
        lines.add("");
        lines.add(
                Base64.getMimeEncoder()
                        .encodeToString(body(note).getBytes(StandardCharsets.UTF_8)));
        return (String.join("\r\n", lines) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static String body(Note note) {
        var link = note.link().map(one -> "\n\n" + one.label() + ": " + one.url()).orElse("");
        return (note.title() + "\n\n" + note.text() + link + "\n").replace("\n", "\r\n");
    }

    /** By RFC 2047; whatever the text holds, it can not become a line of its own. */
    static String encoded(String text) {
        var words = new ArrayList<String>();
        var part = new StringBuilder();
        int bytes = 0;
        for (int letter : text.codePoints().toArray()) {
            var own = Character.toString(letter);
            int more = own.getBytes(StandardCharsets.UTF_8).length;
            if (bytes + more > MOST_OF_A_WORD) {
                words.add(word(part));
                part.setLength(0);
                bytes = 0;
            }
            part.append(own);
            bytes += more;
        }
        words.add(word(part));
        return String.join("\r\n ", words);
    }

    private static String word(CharSequence part) {
        var bytes = part.toString().getBytes(StandardCharsets.UTF_8);
        return "=?UTF-8?B?" + Base64.getEncoder().encodeToString(bytes) + "?=";
    }
}
