package dev.berth.config;

import dev.berth.config.Configuration.NotificationSettings;
import dev.berth.config.receiver.AddressPolicy;
import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.MailServer;
import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.core.AlertLevel;
import dev.berth.texts.Language;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Builds the settings of notifications. */
final class NotificationSettingsReader {

    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
    private static final String MAIL =
            "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?";

    private final ConfigValues values;
    private final Path home;

    private NotificationSettingsReader(ConfigValues values, Path home) {
        this.values = values;
        this.home = home;
    }

    static NotificationSettings of(ConfigValues values, Path home) throws InvalidConfigException {
        var reading = new NotificationSettingsReader(values, home);
        var mailbox = reading.readMailServer();
        return new NotificationSettings(
                Language.of(values.get(NotificationKeys.LANGUAGE)).orElseThrow(),
                mailbox,
                reading.readReceivers(mailbox.isPresent()));
    }

    private Optional<MailServer> readMailServer() throws InvalidConfigException {
        var host = values.find(NotificationKeys.HOST);
        if (host.isEmpty()) {
            for (var key : NotificationKeys.ALL) {
                if (key.name().startsWith(NotificationKeys.SMTP)) {
                    requireUnsetWithout(NotificationKeys.HOST, key);
                }
            }
            return Optional.empty();
        }
        requireAllowed(NotificationKeys.HOST, host.get());
        var from = values.find(NotificationKeys.FROM);
        if (from.isEmpty()) {
            throw invalid(
                    NotificationKeys.HOST, " needs " + NotificationKeys.FROM.name() + " beside it");
        }
        requireMailAddress(NotificationKeys.FROM, from.get());
        var security = MailServer.Encryption.of(values.get(NotificationKeys.SECURITY));
        return Optional.of(
                new MailServer(
                        host.get(),
                        values.get(NotificationKeys.PORT).intValue(),
                        security,
                        readLogin(security),
                        from.get()));
    }

    private Optional<MailServer.Login> readLogin(MailServer.Encryption security)
            throws InvalidConfigException {
        var user = values.find(NotificationKeys.USER);
        var password = values.find(NotificationKeys.PASSWORD);
        var file = values.find(NotificationKeys.PASSWORD_FILE);
        if (user.isEmpty()) {
            requireUnsetWithout(NotificationKeys.USER, NotificationKeys.AUTH);
            requireUnsetWithout(NotificationKeys.USER, NotificationKeys.PASSWORD);
            requireUnsetWithout(NotificationKeys.USER, NotificationKeys.PASSWORD_FILE);
            return Optional.empty();
        }
        if (security == MailServer.Encryption.NONE) {
            throw invalid(
                    NotificationKeys.USER,
                    " needs "
                            + NotificationKeys.SECURITY.name()
                            + " starttls or tls: no password is sent in the open");
        }
        if (password.isPresent() == file.isPresent()) {
            throw invalid(
                    NotificationKeys.USER,
                    " needs one of "
                            + NotificationKeys.PASSWORD.name()
                            + " and "
                            + NotificationKeys.PASSWORD_FILE.name());
        }
        MailServer.Password secret =
                password.isPresent()
                        ? new MailServer.Password.Inline(password.get())
                        : new MailServer.Password.InFile(home.resolve(file.orElseThrow()));
        var method = MailServer.LoginMethod.of(values.get(NotificationKeys.AUTH));
        return Optional.of(new MailServer.Login(user.get(), secret, method));
    }

    private List<Receiver> readReceivers(boolean canMail) throws InvalidConfigException {
        var receivers = new ArrayList<Receiver>();
        var hook = values.find(NotificationKeys.ALERT_WEBHOOK);
        if (hook.isPresent()) {
            var url = URI.create(hook.get());
            requireAllowed(NotificationKeys.ALERT_WEBHOOK, url.getHost());
            receivers.add(Receiver.ofAllAlerts(url));
        }
        var names = new HashSet<>(List.of(Receiver.ALERT_WEBHOOK));
        for (int row = 0; row < values.get(NotificationKeys.MESSAGES); row++) {
            var name = receiverName(row);
            if (!names.add(name)) {
                throw invalid(
                        NotificationKeys.NAME.of(row), " is " + name + ", as another one's is");
            }
            receivers.add(readReceiver(row, name, canMail));
        }
        return receivers;
    }

    private String receiverName(int row) throws InvalidConfigException {
        var key = NotificationKeys.NAME.of(row);
        var name = require(row, key);
        if (!name.matches(NAME)) {
            throw invalid(key, " is of letters, digits, dots, dashes and underscores, at most 64");
        }
        return name;
    }

    private Receiver readReceiver(int row, String name, boolean canMail)
            throws InvalidConfigException {
        var form = ChannelKind.of(require(row, NotificationKeys.KIND.of(row)));
        var events = values.find(NotificationKeys.EVENTS.of(row));
        return new Receiver(
                name,
                form == ChannelKind.MAIL ? mailChannel(row, canMail) : httpChannel(row, form),
                new TreeSet<>(values.find(NotificationKeys.USERS.of(row)).orElse(List.of())),
                new TreeSet<>(
                        events.map(all -> all.stream().map(Topic::of).toList())
                                .orElse(Receiver.DEFAULT_TOPICS)),
                values.find(NotificationKeys.LEVEL.of(row))
                        .map(AlertLevel::valueOf)
                        .orElse(AlertLevel.WARNING),
                values.find(NotificationKeys.RECEIVER_LANGUAGE.of(row)).flatMap(Language::of));
    }

    private Receiver.Channel mailChannel(int row, boolean canMail) throws InvalidConfigException {
        requireUnset(NotificationKeys.URL.of(row), "mail");
        requireUnset(NotificationKeys.SECRET.of(row), "mail");
        if (!canMail) {
            throw invalid(
                    NotificationKeys.KIND.of(row), " mail needs " + NotificationKeys.HOST.name());
        }
        var key = NotificationKeys.TO.of(row);
        var to = require(row, key);
        if (to.isEmpty()) {
            throw invalid(key, " has no recipient");
        }
        for (var address : to) {
            requireMailAddress(key, address);
        }
        return Receiver.Channel.mail(to);
    }

    private Receiver.Channel httpChannel(int row, ChannelKind form) throws InvalidConfigException {
        requireUnset(NotificationKeys.TO.of(row), form.configName());
        if (!form.canSign()) {
            requireUnset(NotificationKeys.SECRET.of(row), form.configName());
        }
        var key = NotificationKeys.URL.of(row);
        var url = URI.create(require(row, key));
        requireAllowed(key, url.getHost());
        return new Receiver.Channel(
                form, Optional.of(url), values.find(NotificationKeys.SECRET.of(row)), List.of());
    }

    private void requireAllowed(ConfigKey<?> key, String host) throws InvalidConfigException {
        var why = AddressPolicy.refusalReason(host.replaceAll("^\\[|]$", ""));
        if (why.isPresent()) {
            throw invalid(key, ": " + host + " is refused: " + why.get());
        }
    }

    private void requireMailAddress(ConfigKey<?> key, String address)
            throws InvalidConfigException {
        if (!address.matches(MAIL)) {
            throw invalid(key, " is like name@example.org, not \"" + address + '"');
        }
    }

    private void requireUnset(ConfigKey<?> key, String form) throws InvalidConfigException {
        if (values.isSet(key)) {
            throw invalid(key, " has no meaning with " + form);
        }
    }

    private void requireUnsetWithout(ConfigKey<?> other, ConfigKey<?> key)
            throws InvalidConfigException {
        if (values.isSet(key)) {
            throw invalid(
                    key, " has no meaning without " + other.name() + ": set that too, or not this");
        }
    }

    private <T> T require(int row, ConfigKey<T> key) throws InvalidConfigException {
        var value = values.find(key);
        if (value.isEmpty()) {
            var parentKey =
                    NotificationKeys.FIELDS.stream()
                            .map(field -> field.of(row))
                            .filter(values::isSet)
                            .findFirst();
            throw new InvalidConfigException(
                    values.source(
                                    parentKey.isPresent()
                                            ? parentKey.get()
                                            : NotificationKeys.MESSAGES)
                            + ": "
                            + key.name()
                            + " is missing");
        }
        return value.get();
    }

    private InvalidConfigException invalid(ConfigKey<?> key, String what) {
        return new InvalidConfigException(values.source(key) + ": " + key.name() + what);
    }
}
