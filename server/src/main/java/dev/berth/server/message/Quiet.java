package dev.berth.server.message;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Text that a chat shows as it is: no word of it calls anybody or becomes a link. Chats differ in
 * what they let one escape, and do not say; a letter's full-width twin means nothing to any of them
 * and reads the same.
 */
final class Quiet {

    private static final Pattern CALL =
            Pattern.compile("@(?=all|channel|here|everyone|所有人)", Pattern.CASE_INSENSITIVE);
    private static final Pattern TAG =
            Pattern.compile("<(?=/?at\\b|[@!#])", Pattern.CASE_INSENSITIVE);

    private static final Map<Integer, String> TWINS =
            "<>[]*#`~@\\|".chars().boxed().collect(Collectors.toMap(letter -> letter, Quiet::twin));

    private Quiet() {}

    private static String twin(int letter) {
        return Character.toString(letter + 0xfee0);
    }

    /** For a chat that takes text as text. */
    static String plain(String text) {
        return TAG.matcher(CALL.matcher(text).replaceAll(twin('@'))).replaceAll(twin('<'));
    }

    /** For one that reads markdown. An underscore within a word is only an underscore. */
    static String markdown(String text) {
        var quiet = new StringBuilder();
        var letters = text.codePoints().toArray();
        for (int i = 0; i < letters.length; i++) {
            boolean isBare =
                    letters[i] == '_'
                            && !(i > 0
                                    && i < letters.length - 1
                                    && Character.isLetterOrDigit(letters[i - 1])
                                    && Character.isLetterOrDigit(letters[i + 1]));
            var own = Character.toString(letters[i]);
            quiet.append(isBare ? twin('_') : TWINS.getOrDefault(letters[i], own));
        }
        return quiet.toString();
    }

    /** As Slack documents it; its own calls are written in angle brackets. */
    static String slack(String text) {
        return CALL.matcher(text)
                .replaceAll(twin('@'))
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
    }
}
