package dev.berth.notify;

import dev.berth.config.receiver.Receiver;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A custom bot of Feishu or Lark, with rich text whose text elements are not interpreted. */
final class Feishu implements ChatFormat {

    @Override
    public ChatRequest request(Receiver.Channel way, Notification note, Instant now) {
        var lines = new ArrayList<List<Map<String, String>>>();
        for (var row : note.rows()) {
            lines.add(List.of(Map.of("tag", "text", "text", ChatEscape.plain(row.text()))));
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
                                Map.of(
                                        "title",
                                        ChatEscape.plain(note.title()),
                                        "content",
                                        lines))));
        return new ChatRequest(way.url().orElseThrow(), body);
    }

    /** Feishu uses timestamp and secret as the HMAC key, and signs an empty text. */
    private static void sign(Map<String, Object> body, String secret, Instant now) {
        var timestamp = Long.toString(now.getEpochSecond());
        body.put("timestamp", timestamp);
        body.put("sign", HmacSignature.sign(timestamp + "\n" + secret, ""));
    }

    @Override
    public Optional<String> refusalReason(String answer) {
        return ResultCode.refusalReason(answer, "code", "msg");
    }
}
