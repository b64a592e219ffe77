package dev.berth.server.message;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An incoming webhook of Slack. */
final class Slack implements Chat {

    private static final int MOST_OF_A_HEADER = 150;
    private static final int MOST_OF_A_SECTION = 3000;

    @Override
    public Letter letter(Receiver.Way way, Note note, Instant now) {
        var title = Quiet.slack(note.title());
        var blocks = new ArrayList<Map<String, Object>>();
        blocks.add(Map.of("type", "header", "text", plain(cut(title, MOST_OF_A_HEADER))));
        if (!note.rows().isEmpty()) {
            blocks.add(
                    Map.of(
                            "type",
                            "section",
                            "text",
                            plain(cut(Quiet.slack(note.text()), MOST_OF_A_SECTION))));
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
        // Shown where blocks are not, as in a notification.
        body.put("text", title);
        body.put("blocks", blocks);
        return new Letter(way.url().orElseThrow(), body);
    }

    private static Map<String, Object> plain(String text) {
        return Map.of("type", "plain_text", "text", text, "emoji", false);
    }

    private static String markup(Note.Link link) {
        return "<" + Quiet.slack(link.url()) + "|" + Quiet.slack(link.label()) + ">";
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }

    @Override
    public Optional<String> complaint(String answer) {
        var word = answer.strip();
        if (word.equals("ok")) {
            return Optional.empty();
        }
        return Optional.of(word.matches("[a-z_]{1,100}") ? word : "the answer is not ok");
    }
}
