package dev.berth.server.config;

import dev.berth.server.alert.AlertLevel;
import dev.berth.server.alert.Language;
import dev.berth.server.config.Configuration.Messages;
import dev.berth.server.message.Addresses;
import dev.berth.server.message.Form;
import dev.berth.server.message.Mailbox;
import dev.berth.server.message.Receiver;
import dev.berth.server.message.Topic;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Puts together what is set about messages. */
final class MessageReading {

    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
    private static final String MAIL =
            "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?";

    private final Values values;
    private final Path home;

    private MessageReading(Values values, Path home) {
        this.values = values;
        this.home = home;
    }

    static Messages of(Values values, Path home) throws ConfigRefused {
        var reading = new MessageReading(values, home);
        var mailbox = reading.mailbox();
        return new Messages(
                Language.of(values.get(MessageKeys.LANGUAGE)),
                mailbox,
                reading.receivers(mailbox.isPresent()));
    }

    private Optional<Mailbox> mailbox() throws ConfigRefused {
        var host = values.find(MessageKeys.HOST);
        if (host.isEmpty()) {
            for (var key : MessageKeys.ALL) {
                if (key.name().startsWith(MessageKeys.SMTP)) {
                    requireUnsetWithout(MessageKeys.HOST, key);
                }
            }
            return Optional.empty();
        }
        requireAllowed(MessageKeys.HOST, host.get());
        var from = values.find(MessageKeys.FROM);
        if (from.isEmpty()) {
            throw wrong(MessageKeys.HOST, " needs " + MessageKeys.FROM.name() + " beside it");
        }
        requireMail(MessageKeys.FROM, from.get());
        var security = Mailbox.Security.of(values.get(MessageKeys.SECURITY));
        return Optional.of(
                new Mailbox(
                        host.get(),
                        values.get(MessageKeys.PORT).intValue(),
                        security,
                        login(security),
                        from.get()));
    }

    private Optional<Mailbox.Login> login(Mailbox.Security security) throws ConfigRefused {
        var user = values.find(MessageKeys.USER);
        var password = values.find(MessageKeys.PASSWORD);
        var file = values.find(MessageKeys.PASSWORD_FILE);
        if (user.isEmpty()) {
            requireUnsetWithout(MessageKeys.USER, MessageKeys.PASSWORD);
            requireUnsetWithout(MessageKeys.USER, MessageKeys.PASSWORD_FILE);
            return Optional.empty();
        }
        if (security == Mailbox.Security.NONE) {
            throw wrong(
                    MessageKeys.USER,
                    " needs "
                            + MessageKeys.SECURITY.name()
                            + " starttls or tls: no password is sent in the open");
        }
        if (password.isPresent() == file.isPresent()) {
            throw wrong(
                    MessageKeys.USER,
                    " needs one of "
                            + MessageKeys.PASSWORD.name()
                            + " and "
                            + MessageKeys.PASSWORD_FILE.name());
        }
        Mailbox.Password secret =
                password.isPresent()
                        ? new Mailbox.Password.Known(password.get())
                        : new Mailbox.Password.InFile(home.resolve(file.orElseThrow()));
        return Optional.of(new Mailbox.Login(user.get(), secret));
    }

    private List<Receiver> receivers(boolean canMail) throws ConfigRefused {
        var receivers = new ArrayList<Receiver>();
        var hook = values.find(MessageKeys.ALERT_WEBHOOK);
        if (hook.isPresent()) {
            var url = URI.create(hook.get());
            requireAllowed(MessageKeys.ALERT_WEBHOOK, url.getHost());
            receivers.add(Receiver.ofAlerts(url));
        }
        var names = new HashSet<>(List.of(Receiver.ALERT_WEBHOOK));
        for (int row = 0; row < values.get(MessageKeys.MESSAGES); row++) {
            var name = name(row);
            if (!names.add(name)) {
                throw wrong(MessageKeys.NAME.of(row), " is " + name + ", as another one's is");
            }
            receivers.add(receiver(row, name, canMail));
        }
        return receivers;
    }

    private String name(int row) throws ConfigRefused {
        var key = MessageKeys.NAME.of(row);
        var name = require(row, key);
        if (!name.matches(NAME)) {
            throw wrong(key, " is of letters, digits, dots, dashes and underscores, at most 64");
        }
        return name;
    }

    private Receiver receiver(int row, String name, boolean canMail) throws ConfigRefused {
        var form = Form.of(require(row, MessageKeys.KIND.of(row)));
        var events = values.find(MessageKeys.EVENTS.of(row));
        return new Receiver(
                name,
                form == Form.MAIL ? mail(row, canMail) : way(row, form),
                new TreeSet<>(values.find(MessageKeys.USERS.of(row)).orElse(List.of())),
                new TreeSet<>(
                        events.map(all -> all.stream().map(Topic::of).toList())
                                .orElse(Receiver.USUAL)),
                values.find(MessageKeys.LEVEL.of(row))
                        .map(AlertLevel::valueOf)
                        .orElse(AlertLevel.WARNING));
    }

    private Receiver.Way mail(int row, boolean canMail) throws ConfigRefused {
        requireUnset(MessageKeys.URL.of(row), "mail");
        requireUnset(MessageKeys.SECRET.of(row), "mail");
        if (!canMail) {
            throw wrong(MessageKeys.KIND.of(row), " mail needs " + MessageKeys.HOST.name());
        }
        var key = MessageKeys.TO.of(row);
        var to = require(row, key);
        if (to.isEmpty()) {
            throw wrong(key, " names nobody");
        }
        for (var address : to) {
            requireMail(key, address);
        }
        return Receiver.Way.mail(to);
    }

    private Receiver.Way way(int row, Form form) throws ConfigRefused {
        requireUnset(MessageKeys.TO.of(row), form.word());
        if (!form.isSigned()) {
            requireUnset(MessageKeys.SECRET.of(row), form.word());
        }
        var key = MessageKeys.URL.of(row);
        var url = URI.create(require(row, key));
        requireAllowed(key, url.getHost());
        return new Receiver.Way(
                form, Optional.of(url), values.find(MessageKeys.SECRET.of(row)), List.of());
    }

    private void requireAllowed(Key<?> key, String host) throws ConfigRefused {
        var why = Addresses.refused(host.replaceAll("^\\[|]$", ""));
        if (why.isPresent()) {
            throw wrong(key, ": " + host + " is refused: " + why.get());
        }
    }

    private void requireMail(Key<?> key, String address) throws ConfigRefused {
        if (!address.matches(MAIL)) {
            throw wrong(key, " is like name@example.org, not \"" + address + '"');
        }
    }

    private void requireUnset(Key<?> key, String form) throws ConfigRefused {
        if (values.isSet(key)) {
            throw wrong(key, " has no meaning with " + form);
        }
    }

    private void requireUnsetWithout(Key<?> other, Key<?> key) throws ConfigRefused {
        if (values.isSet(key)) {
            throw wrong(
                    key, " has no meaning without " + other.name() + ": set that too, or not this");
        }
    }

    private <T> T require(int row, Key<T> key) throws ConfigRefused {
        var value = values.find(key);
        if (value.isEmpty()) {
            var place =
                    MessageKeys.FIELDS.stream()
                            .map(field -> field.of(row))
                            .filter(values::isSet)
                            .findFirst();
            throw new ConfigRefused(
                    values.source(place.isPresent() ? place.get() : MessageKeys.MESSAGES)
                            + ": "
                            + key.name()
                            + " is missing");
        }
        return value.get();
    }

    private ConfigRefused wrong(Key<?> key, String what) {
        return new ConfigRefused(values.source(key) + ": " + key.name() + what);
    }
}
