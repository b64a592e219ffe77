package dev.berth.server.api.config;

import dev.berth.config.ConfigChangeRejected;
import dev.berth.config.LiveConfiguration;
import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.server.api.server.HostMachine;
import dev.berth.server.api.server.ServerDetails;
import dev.berth.wire.Setting;
import dev.berth.wire.SettingChange;

import java.util.List;
import java.util.function.Supplier;

/** The server's settings, and the machine it runs on. */
public final class SettingRoutes {

    private static final RouteDoc SHOW_DOC =
            RouteDoc.of("Address, port, the machine's addresses and versions")
                    .withResponse(200, Setting.class);

    private static final RouteDoc CHANGE_DOC =
            RouteDoc.of(
                            "Saves settings for the next start; the address can only be set in the"
                                    + " file")
                    .withBody(SettingChange.class)
                    .withResponse(200, Setting.class)
                    .withErrors(400, 409, 422, 503);
    private final ServerDetails details;
    private final LiveConfiguration book;
    private final Supplier<String> url;

    public SettingRoutes(ServerDetails details, LiveConfiguration book, Supplier<String> url) {
        this.details = details;
        this.book = book;
        this.url = url;
    }

    public List<Route> routes() {
        var path = PathPattern.of("/api/setting");
        return List.of(
                Route.get(path, AccessLevel.SERVED, SHOW_DOC, _ -> RouteResponse.ok(settings())),
                Route.put(path, AccessLevel.ADMIN, CHANGE_DOC, this::change));
    }

    private RouteResponse change(RouteRequest call) throws RejectedException {
        try {
            book.saveSettings(call.caller().actor(), call.body().fields().toMap());
        } catch (ConfigChangeRejected rejected) {
            throw new RejectedException(rejected.why());
        }
        return RouteResponse.ok(settings());
    }

    private Setting settings() {
        var saved = book.settings();
        var machine = HostMachine.now();
        return new Setting(
                saved.values(),
                saved.entries(),
                machine.addresses(),
                machine.hostname(),
                details.version(),
                Runtime.version() + " (" + System.getProperty("java.vendor", "unknown") + ")",
                machine.system(),
                details.home().toString(),
                url.get(),
                saved.files(),
                saved.needsRestart());
    }
}
