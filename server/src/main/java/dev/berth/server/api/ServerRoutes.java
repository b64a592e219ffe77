package dev.berth.server.api;

import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;
import dev.berth.wire.ServerInfo;

import java.util.List;
import java.util.function.Supplier;

/** The server itself. */
final class ServerRoutes {

    private final About about;
    private final Supplier<String> url;

    ServerRoutes(About about, Supplier<String> url) {
        this.about = about;
        this.url = url;
    }

    List<Route> routes() {
        var doc = Doc.of("Which server this is").giving(200, ServerInfo.class);
        return List.of(
                Route.get(
                        PathPattern.of("/api/server"), Access.SERVED, doc, _ -> Answer.ok(info())));
    }

    private ServerInfo info() {
        return new ServerInfo(
                about.version(),
                ProcessHandle.current().pid(),
                about.home().toString(),
                url.get(),
                Times.text(about.startedAt()),
                about.gpus(),
                about.tracking().isEmpty() ? null : about.tracking());
    }
}
