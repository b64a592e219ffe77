package dev.berth.server.api;

import dev.berth.server.alert.AlertWords;
import dev.berth.server.console.ConsoleFiles;
import dev.berth.server.console.ConsoleRoutes;
import dev.berth.server.http.RouteTable;
import dev.berth.server.lane.RunBook;
import dev.berth.server.lane.Runs;
import dev.berth.server.openapi.OpenApiRoute;
import dev.berth.server.stream.Broadcast;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Everything that can be asked, in one table, and what tells of it unasked. */
public record Api(RouteTable table, Broadcast broadcast, RunBook runs) {

    private static final String CONSOLE = "dev/berth/console/";

    public static Api of(Desk desk, Finishes finishes, About about, Front front) {
        var gpus = new Gpus(desk);
        var alerts = new AlertWords(about.book().now().messages().language());
        var events = new EventWords(desk, alerts);
        var broadcast =
                new Broadcast(
                        desk.engine(),
                        desk.queries(),
                        new Broadcast.Sources(
                                events::messages, () -> gpus.all(true), events::queue));
        var streams = new Streams(desk, front, broadcast);
        var runs =
                new RunBook(
                        new Runs(desk.engine(), desk.queries()),
                        new RunWords(desk)::state,
                        desk.lanes().runs(),
                        System::nanoTime);
        desk.lanes().bindings().onChange(runs::logsBound);
        var workDirs =
                new WorkDirs(Path.of("/etc/passwd"), Path.of(System.getProperty("user.home", "/")));
        var form = new TaskForm(workDirs, about.timeLimits());
        var resources =
                Stream.of(
                                new HealthRoutes(desk).routes(),
                                new ServerRoutes(about, front.url()).routes(),
                                new ConfigRoutes(about.book()).routes(),
                                new RuleRoutes(about.book()).routes(),
                                new SettingRoutes(about, front.url()).routes(),
                                MeRoutes.routes(),
                                new TokenRoutes(desk, front.keys().credentials()).routes(),
                                new LoginRoutes(desk, front).routes(),
                                new GpuRoutes(desk, gpus).routes(),
                                new HistoryRoutes(desk).routes(),
                                new UsageRoutes(desk).routes(),
                                new TaskRoutes(desk, finishes, form).routes(),
                                new BatchRoutes(desk, form).routes(),
                                new ChangeRoutes(desk, form).routes(),
                                new PlacementRoutes(desk).routes(),
                                new QueueRoutes(desk).routes(),
                                new SchedulerRoutes(desk).routes(),
                                new RunRoutes(desk, runs).routes(),
                                new CleanupRoutes(desk).routes(),
                                new ExperimentRoutes(desk, form).routes(),
                                new LogRoutes(desk, streams).routes(),
                                new CommandRoutes(desk.lanes()).routes(),
                                new LogBindingRoutes(desk).routes(),
                                new EventRoutes(desk, streams).routes(),
                                new MetricsRoute(desk, about, broadcast).routes(),
                                new AlertRoutes(desk, alerts).routes(),
                                new ReceiverRoutes(desk.messages()).routes(),
                                new ConsoleRoutes(ConsoleFiles.at(CONSOLE)).routes())
                        .flatMap(List::stream)
                        .toList();
        var table =
                new RouteTable(
                        Stream.concat(
                                        resources.stream(),
                                        Stream.of(
                                                OpenApiRoute.describing(
                                                        resources, about.version())))
                                .toList());
        return new Api(table, broadcast, runs);
    }
}
