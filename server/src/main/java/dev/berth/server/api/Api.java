package dev.berth.server.api;

import dev.berth.server.http.RouteTable;
import dev.berth.server.openapi.OpenApiRoute;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Everything that can be asked, in one table. */
public final class Api {

    private Api() {}

    /**
     * @param url where this server answers, known only once it does
     */
    public static RouteTable table(
            Desk desk, Finishes finishes, About about, Supplier<String> url) {
        var workDirs =
                new WorkDirs(Path.of("/etc/passwd"), Path.of(System.getProperty("user.home", "/")));
        var resources =
                Stream.of(
                                new HealthRoutes(desk).routes(),
                                new ServerRoutes(about, url).routes(),
                                new GpuRoutes(desk, new Gpus(about.rules())).routes(),
                                new TaskRoutes(desk, finishes, new TaskForm(workDirs)).routes(),
                                new LogRoutes(desk).routes(),
                                new EventRoutes(desk).routes())
                        .flatMap(List::stream)
                        .toList();
        return new RouteTable(
                Stream.concat(
                                resources.stream(),
                                Stream.of(OpenApiRoute.describing(resources, about.version())))
                        .toList());
    }
}
