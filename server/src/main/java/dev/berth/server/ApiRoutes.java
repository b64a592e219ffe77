package dev.berth.server;

import dev.berth.config.LiveConfiguration;
import dev.berth.http.Route;
import dev.berth.http.RouteTable;
import dev.berth.http.console.ConsoleFiles;
import dev.berth.http.console.ConsoleRoutes;
import dev.berth.http.openapi.OpenApiRoute;
import dev.berth.identity.ServedUsers;
import dev.berth.identity.Sessions;
import dev.berth.notify.Notifier;
import dev.berth.notify.alert.AlertJson;
import dev.berth.port.read.AttemptProcesses;
import dev.berth.port.read.ClusterHosts;
import dev.berth.port.read.DatabaseMaintenance;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.WorkerHeartbeats;
import dev.berth.retention.TaskRemover;
import dev.berth.runs.FileRuns;
import dev.berth.runs.LeftoverCleanup;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.access.CallerRoutes;
import dev.berth.server.api.access.LoginRoutes;
import dev.berth.server.api.access.PasswordLoginRoutes;
import dev.berth.server.api.access.PasswordLogins;
import dev.berth.server.api.access.TokenRoutes;
import dev.berth.server.api.alert.AlertRoutes;
import dev.berth.server.api.alert.ReceiverRoutes;
import dev.berth.server.api.audit.AuditRoutes;
import dev.berth.server.api.command.CommandFileRoutes;
import dev.berth.server.api.command.CommandFileSets;
import dev.berth.server.api.config.ConfigRoutes;
import dev.berth.server.api.config.RuleRoutes;
import dev.berth.server.api.config.SettingRoutes;
import dev.berth.server.api.event.EventRoutes;
import dev.berth.server.api.event.LogFollowers;
import dev.berth.server.api.event.StreamOpener;
import dev.berth.server.api.experiment.ExperimentRoutes;
import dev.berth.server.api.gpu.GpuJson;
import dev.berth.server.api.gpu.GpuRoutes;
import dev.berth.server.api.history.HistoryRoutes;
import dev.berth.server.api.learned.LearnedRoutes;
import dev.berth.server.api.log.LogBindingRoutes;
import dev.berth.server.api.log.LogFileRoutes;
import dev.berth.server.api.log.LogSearchRoutes;
import dev.berth.server.api.log.TaskLogRoutes;
import dev.berth.server.api.metrics.MetricsRoutes;
import dev.berth.server.api.model.ModelJson;
import dev.berth.server.api.model.ModelRequest;
import dev.berth.server.api.model.ModelRoutes;
import dev.berth.server.api.node.NodeRoutes;
import dev.berth.server.api.people.KnownNames;
import dev.berth.server.api.people.PeopleRoutes;
import dev.berth.server.api.placement.PlacementRoutes;
import dev.berth.server.api.queue.QueueRoutes;
import dev.berth.server.api.queue.SchedulerRoutes;
import dev.berth.server.api.reservation.ReservationRoutes;
import dev.berth.server.api.run.CleanupRoutes;
import dev.berth.server.api.run.FileRunJson;
import dev.berth.server.api.run.FileRunRoutes;
import dev.berth.server.api.server.BackupRoutes;
import dev.berth.server.api.server.HealthRoutes;
import dev.berth.server.api.server.HomeContents;
import dev.berth.server.api.server.ListeningPort;
import dev.berth.server.api.server.ServerDetails;
import dev.berth.server.api.server.ServerRoutes;
import dev.berth.server.api.task.OwnerAccounts;
import dev.berth.server.api.task.ResolveRoutes;
import dev.berth.server.api.task.TaskBatchRoutes;
import dev.berth.server.api.task.TaskChangeRoutes;
import dev.berth.server.api.task.TaskEndWaiters;
import dev.berth.server.api.task.TaskJson;
import dev.berth.server.api.task.TaskListRoutes;
import dev.berth.server.api.task.TaskRemovalRoutes;
import dev.berth.server.api.task.TaskRequest;
import dev.berth.server.api.task.TaskRoutes;
import dev.berth.server.api.task.TaskSubmission;
import dev.berth.server.api.timeline.TimelineRoutes;
import dev.berth.server.api.usage.UsageRoutes;
import dev.berth.server.api.why.WhyRoutes;
import dev.berth.server.stream.EventBroadcast;
import dev.berth.telemetry.history.Charts;
import dev.berth.telemetry.metrics.MetricsPage;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The routes of each resource with the dependencies they use. Nothing here runs in the background
 * or has to be closed.
 */
public final class ApiRoutes {

    private static final String CONSOLE = "dev/berth/console/";

    private ApiRoutes() {}

    /** All routes, with the console and the API's own description. */
    public static RouteTable table(String version, List<List<Route>> groups) {
        var routes = new ArrayList<Route>();
        groups.forEach(routes::addAll);
        routes.addAll(new ConsoleRoutes(ConsoleFiles.at(CONSOLE)).routes());
        routes.add(OpenApiRoute.of(List.copyOf(routes), version));
        return new RouteTable(routes);
    }

    public static List<Route> server(
            EngineClient engine,
            HomeContents contents,
            ServerDetails details,
            DatabaseMaintenance maintenance,
            ListeningPort port) {
        return joined(
                new HealthRoutes(engine, contents.queries(), maintenance, port).routes(),
                new ServerRoutes(details, contents, maintenance, port::url).routes(),
                new BackupRoutes(maintenance).routes());
    }

    public static List<Route> configuration(
            ServerDetails details, LiveConfiguration book, KnownNames names, Supplier<String> url) {
        return joined(
                new ConfigRoutes(book).routes(),
                new RuleRoutes(book, names).routes(),
                new SettingRoutes(details, book, url).routes());
    }

    /** What users may use, and what is reserved for whom. */
    public static List<Route> people(
            EngineClient engine,
            LiveConfiguration book,
            ServedUsers users,
            KnownNames names,
            ZoneId zone) {
        return joined(
                new PeopleRoutes(engine, book, users, names).routes(),
                new ReservationRoutes(engine, names, zone).routes());
    }

    /**
     * @param url the address that login links point to
     */
    public static List<Route> access(
            EngineClient engine,
            Sessions sessions,
            PasswordLogins passwords,
            Supplier<String> url) {
        return joined(
                CallerRoutes.routes(),
                new TokenRoutes(engine, sessions.credentials()).routes(),
                new LoginRoutes(engine, sessions, url).routes(),
                new PasswordLoginRoutes(engine, sessions, passwords).routes());
    }

    public static List<Route> nodes(EngineClient engine, ClusterHosts cluster) {
        return new NodeRoutes(engine, cluster).routes();
    }

    public static List<Route> gpus(
            EngineClient engine, TaskLookup lookup, GpuJson gpus, Charts charts) {
        return joined(
                new GpuRoutes(engine, gpus).routes(),
                new HistoryRoutes(engine, lookup, charts).routes(),
                new UsageRoutes(engine, lookup.queries()).routes(),
                new TimelineRoutes(engine, lookup.queries()).routes());
    }

    public static List<Route> tasks(
            EngineClient engine,
            TaskLookup lookup,
            TaskRequest form,
            TaskJson words,
            TaskEndWaiters finishes) {
        return joined(
                new TaskListRoutes(lookup, words).routes(),
                new TaskRoutes(engine, lookup, form, words, finishes).routes(),
                new TaskBatchRoutes(new TaskSubmission(engine, lookup, words), form).routes(),
                new TaskChangeRoutes(engine, lookup, form, words).routes(),
                new PlacementRoutes(engine, lookup).routes(),
                new WhyRoutes(engine, lookup, form).routes(),
                new LearnedRoutes(lookup).routes(),
                new QueueRoutes(engine, lookup).routes(),
                new SchedulerRoutes(engine).routes());
    }

    public static List<Route> models(
            EngineClient engine, GpuJson gpus, WorkerHeartbeats heartbeats, ModelRequest requests) {
        return new ModelRoutes(engine, new ModelJson(engine, gpus, heartbeats), requests).routes();
    }

    public static List<Route> removals(
            EngineClient engine, TaskLookup lookup, TaskRemover remover) {
        return new TaskRemovalRoutes(engine, lookup, remover).routes();
    }

    public static List<Route> lostTasks(
            EngineClient engine, TaskLookup lookup, TaskJson words, AttemptProcesses processes) {
        return new ResolveRoutes(engine, lookup, words, processes).routes();
    }

    public static List<Route> fileRuns(
            EngineClient engine,
            CommandFileSets sets,
            FileRunJson words,
            LeftoverCleanup remains,
            OwnerAccounts accounts) {
        var runs = new FileRuns(engine.loop(), words.queries());
        return joined(
                new FileRunRoutes(engine, sets, runs, words, accounts).routes(),
                new CleanupRoutes(remains).routes());
    }

    public static List<Route> experiments(
            EngineClient engine, TaskLookup lookup, TaskRequest form, TaskJson words) {
        var intake = new TaskSubmission(engine, lookup, words);
        return new ExperimentRoutes(engine, lookup, form, intake).routes();
    }

    public static List<Route> taskLogs(TaskLookup lookup, TaskLogs logs, StreamOpener streams) {
        return joined(
                new TaskLogRoutes(lookup, logs, new LogFollowers(lookup, logs), streams).routes(),
                new LogFileRoutes(lookup, logs).routes());
    }

    public static List<Route> logFiles(TaskLookup lookup, LogFiles logs) {
        return new LogSearchRoutes(lookup, logs).routes();
    }

    public static List<Route> commandFiles(EngineClient engine, CommandFileSets sets) {
        var lanes = sets.common();
        return joined(
                new CommandFileRoutes(sets).routes(),
                new LogBindingRoutes(engine, lanes.bindings(), lanes.logAccess()).routes());
    }

    public static List<Route> events(TaskLookup lookup, TaskLogs logs, StreamOpener streams) {
        return joined(
                new EventRoutes(lookup.queries(), streams, new LogFollowers(lookup, logs)).routes(),
                new AuditRoutes(lookup.queries()).routes());
    }

    public static List<Route> metrics(
            EngineClient engine,
            MetricsPage page,
            EventBroadcast broadcast,
            boolean isOpen,
            Path tasks) {
        return new MetricsRoutes(engine, page, broadcast, isOpen, tasks).routes();
    }

    public static List<Route> alerts(TaskQueries queries, AlertJson words, Notifier messages) {
        return joined(
                new AlertRoutes(queries, words).routes(), new ReceiverRoutes(messages).routes());
    }

    @SafeVarargs
    private static List<Route> joined(List<Route>... groups) {
        return Stream.of(groups).flatMap(List::stream).toList();
    }
}
