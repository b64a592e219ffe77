package dev.berth.config;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.MailServer;
import dev.berth.config.receiver.Topic;
import dev.berth.core.AlertLevel;
import dev.berth.texts.Language;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Keys of notifications. */
final class NotificationKeys {

    static final String SMTP = "smtp.";

    private static final int MAX_RECEIVERS = 200;
    private static final String HIDDEN = "(set)";
    private static final Pattern ROW = Pattern.compile("messages\\[(\\d{1,4})](\\..*)?");

    static final ConfigKey<String> ALERT_WEBHOOK =
            ConfigKey.withoutDefault(
                    "alert_webhook", urlType(), "a URL to which every alert is posted as JSON");
    static final ConfigKey<String> LANGUAGE =
            ConfigKey.withDefault(
                    "message_language",
                    ValueType.word(Language.CHINESE.tag(), Language.ENGLISH.tag()),
                    Language.ENGLISH.tag(),
                    "the language of alerts and notifications; if unset, that of the server's"
                            + " locale");
    static final ConfigKey<String> HOST =
            ConfigKey.withoutDefault(SMTP + "host", ValueType.text(), "the mail server");
    static final ConfigKey<Long> PORT =
            ConfigKey.withDefault(
                    SMTP + "port",
                    ValueType.wholeNumber(1, 65_535),
                    587L,
                    "the port of the mail server");
    static final ConfigKey<String> SECURITY =
            ConfigKey.withDefault(
                    SMTP + "security",
                    ValueType.word(
                            names(
                                    MailServer.Encryption.values(),
                                    MailServer.Encryption::configName)),
                    MailServer.Encryption.STARTTLS.configName(),
                    "the encryption of the connection");
    static final ConfigKey<String> USER =
            ConfigKey.withoutDefault(
                    SMTP + "user", ValueType.text(), "the user name for the login");
    static final ConfigKey<String> AUTH =
            ConfigKey.withDefault(
                    SMTP + "auth",
                    ValueType.word(
                            names(
                                    MailServer.LoginMethod.values(),
                                    MailServer.LoginMethod::configName)),
                    MailServer.LoginMethod.PASSWORD.configName(),
                    "what the password is: a password, or an OAuth 2 access token");
    static final ConfigKey<String> PASSWORD =
            ConfigKey.withoutDefault(SMTP + "password", secretType(), "the password for the login");
    static final ConfigKey<String> PASSWORD_FILE =
            ConfigKey.withoutDefault(
                    SMTP + "password_file",
                    ValueType.text(),
                    "a file with the password, read each time mail is sent");
    static final ConfigKey<String> FROM =
            ConfigKey.withoutDefault(SMTP + "from", ValueType.text(), "the sender address");
    static final ConfigKey<Long> MESSAGES =
            ConfigKey.withDefault(
                    "messages", ValueType.rows(MAX_RECEIVERS), 0L, "the number of receivers");

    static final List<ConfigKey<?>> ALL =
            List.of(
                    ALERT_WEBHOOK,
                    LANGUAGE,
                    HOST,
                    PORT,
                    SECURITY,
                    USER,
                    AUTH,
                    PASSWORD,
                    PASSWORD_FILE,
                    FROM,
                    MESSAGES);

    /** The fields of a receiver, in the order of the documentation. */
    static final ReceiverField<String> NAME =
            new ReceiverField<>("name", ValueType.text(), "the name of the receiver");

    static final ReceiverField<String> KIND =
            new ReceiverField<>(
                    "kind",
                    ValueType.word(names(ChannelKind.values(), ChannelKind::configName)),
                    "the kind of channel");
    static final ReceiverField<String> URL =
            new ReceiverField<>("url", urlType(), "the URL; not for mail");
    static final ReceiverField<String> SECRET =
            new ReceiverField<>("secret", secretType(), "the signing key for Feishu and DingTalk");
    static final ReceiverField<List<String>> TO =
            new ReceiverField<>("to", ValueType.texts(), "mail addresses");
    static final ReceiverField<List<String>> USERS =
            new ReceiverField<>(
                    "users", ValueType.texts(), "only notifications about tasks of these users");
    static final ReceiverField<List<String>> EVENTS =
            new ReceiverField<>(
                    "events",
                    ValueType.description(names(Topic.values(), Topic::configName)),
                    "the topics it subscribes to");
    static final ReceiverField<String> LEVEL =
            new ReceiverField<>(
                    "level",
                    ValueType.word(AlertLevel.names().toArray(String[]::new)),
                    "the lowest level of alerts that it gets");

    static final ReceiverField<String> RECEIVER_LANGUAGE =
            new ReceiverField<>(
                    "language",
                    ValueType.word(Language.CHINESE.tag(), Language.ENGLISH.tag()),
                    "the language of its messages");

    static final List<ReceiverField<?>> FIELDS =
            List.of(NAME, KIND, URL, SECRET, TO, USERS, EVENTS, LEVEL, RECEIVER_LANGUAGE);

    private NotificationKeys() {}

    /** A key that each receiver may have. */
    record ReceiverField<T>(String name, ValueType<T> kind, String description) {
        ConfigKey<T> of(int row) {
            return ConfigKey.withoutDefault(
                    MESSAGES.name() + "[" + row + "]." + name, kind, description);
        }
    }

    /** The key of one receiver. */
    static Optional<ConfigKey<?>> receiverKey(String name) {
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
        return FIELDS.stream().map(ReceiverField::name).toList();
    }

    /** True for a receiver as a whole, such as {@code messages[0]}. */
    static boolean isReceiver(String name) {
        return ROW.matcher(name).matches() && name.endsWith("]");
    }

    /** True for a key of a receiver, such as {@code messages[0].url}. */
    static boolean isReceiverKey(String name) {
        return ROW.matcher(name).matches() && !name.endsWith("]");
    }

    private static ValueType<String> secretType() {
        return ValueType.text().withFormatter(_ -> HIDDEN);
    }

    /** Only the host is shown: the full URL often is a credential. */
    private static ValueType<String> urlType() {
        return new ValueType<>(
                        ValueType.InputForm.of("text"),
                        "an address that begins with http:// or https://",
                        value -> ValueType.text().parse(value).filter(NotificationKeys::isHttp))
                .withFormatter(text -> URI.create(text).getHost());
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

    private static <T> String[] names(T[] values, Function<T, String> word) {
        return Arrays.stream(values).map(word).toArray(String[]::new);
    }
}
