package dev.berth.server.console;

import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;

import java.util.List;
import java.util.Map;

/** The console. */
public final class ConsoleRoutes {

    private static final Param<String> PATH =
            new Param<>("path", "a file, or a page", Map.of("type", "string"), text -> text);
    private static final Param<String> KNOWN = Param.header("If-None-Match", "an ETag");
    private static final Param<String> TAKES = Param.header("Accept-Encoding", "gzip");

    private static final Doc DOC = Doc.of("The console").heeding(KNOWN, TAKES);

    private final ConsoleFiles files;

    public ConsoleRoutes(ConsoleFiles files) {
        this.files = files;
    }

    public List<Route> routes() {
        return List.of(
                Route.page(
                        PathPattern.of("/"),
                        Doc.of("The way to the console"),
                        _ -> Answer.empty(302).with("Location", "/ui/")),
                Route.page(PathPattern.of("/ui"), DOC, call -> file("", call)),
                Route.page(
                        PathPattern.of("/ui/{path*}", PATH),
                        DOC,
                        call -> file(call.path(PATH), call)));
    }

    private Answer file(String path, Call call) throws Refused {
        var found = files.find(path);
        if (found.isEmpty()) {
            return Answer.problem(404, "path.unknown", "The console has no such file.");
        }
        var file = found.get();
        var caching = file.isForEver() ? "public, max-age=31536000, immutable" : "no-cache";
        var known = call.header(KNOWN).orElse("");
        var answer =
                known.contains(file.etag())
                        ? Answer.empty(304)
                        : file.isWorthZipping() && call.header(TAKES).orElse("").contains("gzip")
                                ? Answer.bytes(file.type(), file.zipped())
                                        .with("Content-Encoding", "gzip")
                                : Answer.bytes(file.type(), file.plain());
        return answer.with("Cache-Control", caching)
                .with("ETag", file.etag())
                .with("Vary", "Accept-Encoding");
    }
}
