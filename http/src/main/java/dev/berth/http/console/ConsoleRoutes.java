package dev.berth.http.console;

import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;

import java.util.List;
import java.util.Map;

/** Serves the console. */
public final class ConsoleRoutes {

    private static final Param<String> PATH =
            new Param<>("path", "a file, or a page", Map.of("type", "string"), text -> text);
    private static final Param<String> IF_NONE_MATCH = Param.header("If-None-Match", "an ETag");
    private static final Param<String> ACCEPT_ENCODING = Param.header("Accept-Encoding", "gzip");

    private static final RouteDoc DOC =
            RouteDoc.of("The console").withHeaders(IF_NONE_MATCH, ACCEPT_ENCODING);

    private final ConsoleFiles files;

    public ConsoleRoutes(ConsoleFiles files) {
        this.files = files;
    }

    public List<Route> routes() {
        return List.of(
                Route.page(
                        PathPattern.of("/"),
                        RouteDoc.of("The way to the console"),
                        _ -> RouteResponse.empty(302).with("Location", "/ui/")),
                Route.page(PathPattern.of("/ui"), DOC, call -> file("", call)),
                Route.page(
                        PathPattern.of("/ui/{path*}", PATH),
                        DOC,
                        call -> file(call.path(PATH), call)));
    }

    private RouteResponse file(String path, RouteRequest call) throws RejectedException {
        var found = files.find(path);
        if (found.isEmpty()) {
            return RouteResponse.problem(404, "path.unknown", Map.of("variant", "console"));
        }
        var file = found.get();
        var caching = file.isImmutable() ? "public, max-age=31536000, immutable" : "no-cache";
        var known = call.header(IF_NONE_MATCH).orElse("");
        var answer =
                known.contains(file.etag())
                        ? RouteResponse.empty(304)
                        : file.isCompressible()
                                        && call.header(ACCEPT_ENCODING).orElse("").contains("gzip")
                                ? RouteResponse.bytes(file.type(), file.gzipped())
                                        .with("Content-Encoding", "gzip")
                                : RouteResponse.bytes(file.type(), file.plain());
        return answer.with("Cache-Control", caching)
                .with("ETag", file.etag())
                .with("Vary", "Accept-Encoding");
    }
}
