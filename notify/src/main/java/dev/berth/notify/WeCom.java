package dev.berth.notify;

import dev.berth.config.receiver.Receiver;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A group robot of WeCom. */
final class WeCom implements ChatFormat {

    private static final int MAX_BYTES = 4096;

    @Override
    public ChatRequest request(Receiver.Channel way, Notification note, Instant now) {
        var link = note.link().map(one -> "\n[" + one.label() + "](" + one.url() + ")").orElse("");
        var text =
                "### "
                        + ChatEscape.markdown(note.title())
                        + note.rows().stream()
                                .map(row -> "\n> " + ChatEscape.markdown(row.text()))
                                .collect(Collectors.joining());
        var body = new LinkedHashMap<String, Object>();
        body.put("msgtype", "markdown");
        body.put("markdown", Map.of("content", shorten(text, MAX_BYTES - utf8Length(link)) + link));
        return new ChatRequest(way.url().orElseThrow(), body);
    }

    /** Cuts between characters. */
    private static String shorten(String text, int most) {
        if (utf8Length(text) <= most) {
            return text;
        }
        var kept = new StringBuilder();
        int left = most - utf8Length("…");
        for (int letter : text.codePoints().toArray()) {
            var character = Character.toString(letter);
            left -= utf8Length(character);
            if (left < 0) {
                break;
            }
            kept.append(character);
        }
        return kept.append('…').toString();
    }

    private static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    @Override
    public Optional<String> refusalReason(String answer) {
        return ResultCode.refusalReason(answer, "errcode", "errmsg");
    }
}
