package dev.berth.notify;

import dev.berth.config.receiver.Receiver;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An incoming webhook of Slack. */
final class Slack implements ChatFormat {

    private static final int MAX_HEADER = 150;
    private static final int MAX_SECTION = 3000;

    @Override
    public ChatRequest request(Receiver.Channel way, Notification note, Instant now) {
        var title = ChatEscape.slack(note.title());
        var blocks = new ArrayList<Map<String, Object>>();
        blocks.add(Map.of("type", "header", "text", plain(shorten(title, MAX_HEADER))));
        if (!note.rows().isEmpty()) {
            blocks.add(
                    Map.of(
                            "type",
                            "section",
                            "text",
                            plain(shorten(ChatEscape.slack(note.text()), MAX_SECTION))));
        }
        note.link()
                .ifPresent(
                        link ->
                                blocks.add(
                                        Map.of(
                                                "type",
                                                "context",
                                                "elements",
                                                List.of(
                                                        Map.of(
                                                                "type",
                                                                "mrkdwn",
                                                                "text",
                                                                markup(link))))));
        var body = new LinkedHashMap<String, Object>();
        // Shown where blocks cannot be shown, such as in a desktop notification.
        body.put("text", title);
        body.put("blocks", blocks);
        return new ChatRequest(way.url().orElseThrow(), body);
    }

    private static Map<String, Object> plain(String text) {
        return Map.of("type", "plain_text", "text", text, "emoji", false);
    }

    private static String markup(Notification.Link link) {
        return "<" + ChatEscape.slack(link.url()) + "|" + ChatEscape.slack(link.label()) + ">";
    }

    private static String shorten(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }

    @Override
    public Optional<String> refusalReason(String answer) {
        var word = answer.strip();
        if (word.equals("ok")) {
            return Optional.empty();
        }
        return Optional.of(word.matches("[a-z_]{1,100}") ? word : "the answer is not ok");
    }
}
