package dev.berth.notify;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Escapes text for chats, so that nothing in it mentions a user or becomes a link. Chats differ in
 * their escape rules and do not document them; a full-width character has no meaning in any of them
 * and looks the same.
 */
final class ChatEscape {

    private static final Pattern MENTION =
            Pattern.compile("@(?=all|channel|here|everyone|所有人)", Pattern.CASE_INSENSITIVE);
    private static final Pattern TAG =
            Pattern.compile("<(?=/?at\\b|[@!#])", Pattern.CASE_INSENSITIVE);

    private static final Map<Integer, String> FULL_WIDTH =
            "<>[]*#`~@\\|"
                    .chars()
                    .boxed()
                    .collect(Collectors.toMap(codePoint -> codePoint, ChatEscape::fullWidth));

    private ChatEscape() {}

    private static String fullWidth(int codePoint) {
        return Character.toString(codePoint + 0xfee0);
    }

    /** For a chat with plain text. */
    static String plain(String text) {
        return TAG.matcher(MENTION.matcher(text).replaceAll(fullWidth('@')))
                .replaceAll(fullWidth('<'));
    }

    /** For a chat with markdown. An underscore inside a word needs no escape. */
    static String markdown(String text) {
        var escaped = new StringBuilder();
        var codePoints = text.codePoints().toArray();
        for (int i = 0; i < codePoints.length; i++) {
            boolean isBare =
                    codePoints[i] == '_'
                            && !(i > 0
                                    && i < codePoints.length - 1
                                    && Character.isLetterOrDigit(codePoints[i - 1])
                                    && Character.isLetterOrDigit(codePoints[i + 1]));
            var character = Character.toString(codePoints[i]);
            escaped.append(
                    isBare ? fullWidth('_') : FULL_WIDTH.getOrDefault(codePoints[i], character));
        }
        return escaped.toString();
    }

    /** As documented by Slack; its mentions are written in angle brackets. */
    static String slack(String text) {
        return MENTION.matcher(text)
                .replaceAll(fullWidth('@'))
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
    }
}
