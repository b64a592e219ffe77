package dev.berth.notify;

import dev.berth.config.receiver.Receiver;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A custom robot of DingTalk. */
final class DingTalk implements ChatFormat {

    @Override
    public ChatRequest request(Receiver.Channel way, Notification note, Instant now) {
        var title = ChatEscape.markdown(note.title());
        var text =
                "### "
                        + title
                        + "\n\n"
                        + note.rows().stream()
                                .map(row -> "- " + ChatEscape.markdown(row.text()))
                                .collect(Collectors.joining("\n"))
                        + note.link()
                                .map(link -> "\n\n[" + link.label() + "](" + link.url() + ")")
                                .orElse("");
        var body = new LinkedHashMap<String, Object>();
        body.put("msgtype", "markdown");
        body.put("markdown", Map.of("title", title, "text", text));
        body.put("at", Map.of("isAtAll", false));
        var url = way.url().orElseThrow();
        return new ChatRequest(
                way.secret().map(secret -> signed(url, secret, now)).orElse(url), body);
    }

    private static URI signed(URI url, String secret, Instant now) {
        var timestamp = Long.toString(now.toEpochMilli());
        var sign = HmacSignature.sign(secret, timestamp + "\n" + secret);
        return URI.create(
                url
                        + (url.getRawQuery() == null ? "?" : "&")
                        + "timestamp="
                        + timestamp
                        + "&sign="
                        + URLEncoder.encode(sign, StandardCharsets.UTF_8));
    }

    @Override
    public Optional<String> refusalReason(String answer) {
        return ResultCode.refusalReason(answer, "errcode", "errmsg");
    }
}
