package dev.berth.server.config;

import dev.berth.server.alert.AlertLevel;
import dev.berth.server.alert.Language;
import dev.berth.server.message.Form;
import dev.berth.server.message.Mailbox;
import dev.berth.server.message.Topic;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Who is told of what happens, and how. */
final class MessageKeys {

    static final String SMTP = "smtp.";

    private static final int MOST_RECEIVERS = 200;
    private static final String HIDDEN = "(set)";
    private static final Pattern ROW = Pattern.compile("messages\\[(\\d{1,4})](\\..*)?");

    static final Key<String> ALERT_WEBHOOK =
            Key.unset("alert_webhook", url(), "an address to which every alert is posted as JSON");
    static final Key<String> LANGUAGE =
            Key.of(
                    "message_language",
                    Kind.word(Language.CHINESE.word(), Language.ENGLISH.word()),
                    Language.CHINESE.word(),
                    "in which alerts and messages are written");
    static final Key<String> HOST = Key.unset(SMTP + "host", Kind.text(), "the mail server");
    static final Key<Long> PORT = Key.of(SMTP + "port", Kind.whole(1, 65_535), 587L, "its port");
    static final Key<String> SECURITY =
            Key.of(
                    SMTP + "security",
                    Kind.word(words(Mailbox.Security.values(), Mailbox.Security::word)),
                    Mailbox.Security.STARTTLS.word(),
                    "how the way there is made safe");
    static final Key<String> USER = Key.unset(SMTP + "user", Kind.text(), "who logs in there");
    static final Key<String> PASSWORD = Key.unset(SMTP + "password", secret(), "their password");
    static final Key<String> PASSWORD_FILE =
            Key.unset(
                    SMTP + "password_file",
                    Kind.text(),
                    "a file that holds it, read whenever mail is sent");
    static final Key<String> FROM =
            Key.unset(SMTP + "from", Kind.text(), "the address that mail comes from");
    static final Key<Long> MESSAGES =
            Key.of("messages", Kind.rows(MOST_RECEIVERS), 0L, "how many receivers there are");

    static final List<Key<?>> ALL =
            List.of(
                    ALERT_WEBHOOK,
                    LANGUAGE,
                    HOST,
                    PORT,
                    SECURITY,
                    USER,
                    PASSWORD,
                    PASSWORD_FILE,
                    FROM,
                    MESSAGES);

    /** What a receiver has, in the order in which it is documented. */
    static final Field<String> NAME =
            new Field<>("name", Kind.text(), "what the receiver is called");

    static final Field<String> KIND =
            new Field<>("kind", Kind.word(words(Form.values(), Form::word)), "how it is reached");
    static final Field<String> URL = new Field<>("url", url(), "where, unless by mail");
    static final Field<String> SECRET =
            new Field<>("secret", secret(), "signs what is sent to Feishu and DingTalk");
    static final Field<List<String>> TO = new Field<>("to", Kind.texts(), "mail addresses");
    static final Field<List<String>> USERS =
            new Field<>("users", Kind.texts(), "only what concerns tasks of these users");
    static final Field<List<String>> EVENTS =
            new Field<>(
                    "events", Kind.words(words(Topic.values(), Topic::word)), "what it hears of");
    static final Field<String> LEVEL =
            new Field<>(
                    "level",
                    Kind.word(AlertLevel.words().toArray(String[]::new)),
                    "the least bad alert that it hears of");

    static final List<Field<?>> FIELDS = List.of(NAME, KIND, URL, SECRET, TO, USERS, EVENTS, LEVEL);

    private MessageKeys() {}

    /** One of the keys that every receiver may have. */
    record Field<T>(String name, Kind<T> kind, String about) {
        Key<T> of(int row) {
            return Key.unset(MESSAGES.name() + "[" + row + "]." + name, kind, about);
        }
    }

    /** The key of one receiver. */
    static Optional<Key<?>> inRow(String name) {
        var match = ROW.matcher(name);
        if (!match.matches() || match.group(2) == null) {
            return Optional.empty();
        }
        int row = Integer.parseInt(match.group(1));
        for (var field : FIELDS) {
            if (match.group(2).equals("." + field.name())) {
                return Optional.of(field.of(row));
            }
        }
        return Optional.empty();
    }

    static List<String> fieldNames() {
        return FIELDS.stream().map(Field::name).toList();
    }

    /** Whether this is a receiver as a whole. */
    static boolean isRow(String name) {
        return ROW.matcher(name).matches() && name.endsWith("]");
    }

    /** Whether this can only be a key of a receiver. */
    static boolean isInRow(String name) {
        return ROW.matcher(name).matches() && !name.endsWith("]");
    }

    private static Kind<String> secret() {
        return Kind.text().shownAs(_ -> HIDDEN);
    }

    /** Whoever knows the whole of it can often write there. */
    private static Kind<String> url() {
        return new Kind<>(
                        Kind.Form.of("text"),
                        "an address that begins with http:// or https://",
                        value -> Kind.text().read(value).filter(MessageKeys::isHttp))
                .shownAs(text -> URI.create(text).getHost());
    }

    private static boolean isHttp(String text) {
        try {
            var url = URI.create(text);
            var scheme = String.valueOf(url.getScheme());
            return (scheme.equals("http") || scheme.equals("https"))
                    && url.getHost() != null
                    && url.getUserInfo() == null;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static <T> String[] words(T[] values, Function<T, String> word) {
        return Arrays.stream(values).map(word).toArray(String[]::new);
    }
}
