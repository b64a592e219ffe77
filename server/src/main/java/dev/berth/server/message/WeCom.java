package dev.berth.server.message;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A group robot of WeCom. */
final class WeCom implements Chat {

    private static final int MOST_BYTES = 4096;

    @Override
    public Letter letter(Receiver.Way way, Note note, Instant now) {
        var link = note.link().map(one -> "\n[" + one.label() + "](" + one.url() + ")").orElse("");
        var text =
                "### "
                        + Quiet.markdown(note.title())
                        + note.rows().stream()
                                .map(row -> "\n> " + Quiet.markdown(row.text()))
                                .collect(Collectors.joining());
        var body = new LinkedHashMap<String, Object>();
        body.put("msgtype", "markdown");
        body.put("markdown", Map.of("content", cut(text, MOST_BYTES - bytes(link)) + link));
        return new Letter(way.url().orElseThrow(), body);
    }

    /** By whole letters. */
    private static String cut(String text, int most) {
        if (bytes(text) <= most) {
            return text;
        }
        var kept = new StringBuilder();
        int left = most - bytes("…");
        for (int letter : text.codePoints().toArray()) {
            var own = Character.toString(letter);
            left -= bytes(own);
            if (left < 0) {
                break;
            }
            kept.append(own);
        }
        return kept.append('…').toString();
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    @Override
    public Optional<String> complaint(String answer) {
        return AnswerCode.complaint(answer, "errcode", "errmsg");
    }
}
