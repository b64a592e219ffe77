package dev.berth.server.api;

import dev.berth.server.config.RuleBook;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.Setting;
import dev.berth.wire.SettingChange;

import java.util.List;
import java.util.function.Supplier;

/** The server's own settings, and the machine it runs on. */
final class SettingRoutes {

    private static final Doc SHOW_DOC =
            Doc.of("Address, port, the machine's addresses and versions")
                    .giving(200, Setting.class);

    private static final Doc CHANGE_DOC =
            Doc.of("Saves settings for the next start; the address can be set only in the file")
                    .taking(SettingChange.class)
                    .giving(200, Setting.class)
                    .refusing(400, 409, 422, 503);

    private final About about;
    private final Supplier<String> url;
    private final RuleBook book;

    SettingRoutes(About about, Supplier<String> url) {
        this.about = about;
        this.url = url;
        this.book = about.book();
    }

    List<Route> routes() {
        var path = PathPattern.of("/api/setting");
        return List.of(
                Route.get(path, Access.SERVED, SHOW_DOC, _ -> Answer.ok(shown())),
                Route.put(path, Access.ADMIN, CHANGE_DOC, this::change));
    }

    private Answer change(Call call) throws Refused {
        book.save(call.body().fields().plain());
        return Answer.ok(shown());
    }

    private Setting shown() {
        var saved = book.settings();
        var machine = Machine.now();
        return new Setting(
                saved.values(),
                saved.entries(),
                machine.addresses(),
                machine.hostname(),
                about.version(),
                Runtime.version() + " (" + System.getProperty("java.vendor", "unknown") + ")",
                machine.system(),
                about.home().toString(),
                url.get(),
                saved.files(),
                saved.needsRestart());
    }
}
