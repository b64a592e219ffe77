package dev.berth.port.event;

import static dev.berth.port.event.StoredField.smallNumber;
import static dev.berth.port.event.StoredField.text;

import dev.berth.port.event.AccessPayload.LogRead;
import dev.berth.port.event.AccessPayload.LoggedIn;
import dev.berth.port.event.AccessPayload.LoggedOut;
import dev.berth.port.event.AccessPayload.LoginFailed;
import dev.berth.port.event.ServerPayload.KeyChange;
import dev.berth.port.event.ServerPayload.RulesChanged;

import java.util.List;
import java.util.Optional;

/** The stored forms of events about access and about changes of the configuration. */
final class AccessForms {

    private static final StoredField<String> KEY = text("key");
    private static final StoredField<String> FROM = text("from");
    private static final StoredField<String> TO = text("to");
    private static final StoredField<String> ADDRESS = text("address");
    private static final StoredField<Integer> COUNT = smallNumber("count");

    private AccessForms() {}

    static List<PayloadForm<?>> all() {
        return List.of(
                new PayloadForm<>(
                        "user.logged_in",
                        LoggedIn.class,
                        in -> new LoggedIn(EventForms.token(in)),
                        (it, out) -> EventForms.write(it.session(), out)),
                new PayloadForm<>(
                        "user.logged_out",
                        LoggedOut.class,
                        in -> new LoggedOut(EventForms.token(in)),
                        (it, out) -> EventForms.write(it.session(), out)),
                new PayloadForm<>(
                        "user.login_failed",
                        LoginFailed.class,
                        in -> new LoginFailed(in.get(ADDRESS), in.get(COUNT)),
                        (it, out) -> out.put(ADDRESS, it.from()).put(COUNT, it.count())),
                PayloadForm.empty("log.read", new LogRead(), LogRead.class),
                new PayloadForm<>(
                        "rules.changed",
                        RulesChanged.class,
                        in -> new RulesChanged(change(in)),
                        (it, out) -> it.change().ifPresent(change -> write(change, out))));
    }

    /** Earlier versions stored only that rules were changed. */
    private static Optional<KeyChange> change(FieldReader in) {
        return in.find(KEY).map(key -> new KeyChange(key, in.get(FROM), in.get(TO)));
    }

    private static void write(KeyChange change, FieldWriter out) {
        out.put(KEY, change.key()).put(FROM, change.from()).put(TO, change.to());
    }
}
