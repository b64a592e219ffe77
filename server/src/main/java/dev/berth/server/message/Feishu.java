package dev.berth.server.message;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A custom bot of Feishu or Lark: rich text, whose texts are texts and nothing else. */
final class Feishu implements Chat {

    @Override
    public Letter letter(Receiver.Way way, Note note, Instant now) {
        var lines = new ArrayList<List<Map<String, String>>>();
        for (var row : note.rows()) {
            lines.add(List.of(Map.of("tag", "text", "text", Quiet.plain(row.text()))));
        }
        note.link()
                .ifPresent(
                        link ->
                                lines.add(
                                        List.of(
                                                Map.of(
                                                        "tag", "a",
                                                        "text", link.label(),
                                                        "href", link.url()))));
        var body = new LinkedHashMap<String, Object>();
        way.secret().ifPresent(secret -> sign(body, secret, now));
        body.put("msg_type", "post");
        body.put(
                "content",
                Map.of(
                        "post",
                        Map.of(
                                "zh_cn",
                                Map.of("title", Quiet.plain(note.title()), "content", lines))));
        return new Letter(way.url().orElseThrow(), body);
    }

    /** The key is time and secret, and what is signed is nothing. */
    private static void sign(Map<String, Object> body, String secret, Instant now) {
        var timestamp = Long.toString(now.getEpochSecond());
        body.put("timestamp", timestamp);
        body.put("sign", Signature.of(timestamp + "\n" + secret, ""));
    }

    @Override
    public Optional<String> complaint(String answer) {
        return AnswerCode.complaint(answer, "code", "msg");
    }
}
