package dev.berth.app;

import dev.berth.cli.call.CliVersion;
import dev.berth.config.LiveConfiguration;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineLoop;
import dev.berth.files.UserPaths;
import dev.berth.http.RouteTable;
import dev.berth.http.limit.StreamSlots;
import dev.berth.identity.LoginLimit;
import dev.berth.identity.Sessions;
import dev.berth.notify.Notifier;
import dev.berth.notify.alert.AlertJson;
import dev.berth.port.PasswordCheck;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.AttemptProcesses;
import dev.berth.port.read.ClusterHosts;
import dev.berth.port.read.DatabaseMaintenance;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.WorkerHeartbeats;
import dev.berth.retention.TaskRemover;
import dev.berth.runs.FileRuns;
import dev.berth.runs.LeftoverCleanup;
import dev.berth.runs.RunFileWriter;
import dev.berth.runs.RunResources;
import dev.berth.server.ApiRoutes;
import dev.berth.server.HttpServer;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.ForecastCache;
import dev.berth.server.api.TaskAccess;
import dev.berth.server.api.TaskAccess.View;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.access.PasswordLogins;
import dev.berth.server.api.command.CommandFileSets;
import dev.berth.server.api.command.SharedCommandFiles;
import dev.berth.server.api.command.UserCommandFiles;
import dev.berth.server.api.event.EventJson;
import dev.berth.server.api.event.StreamOpener;
import dev.berth.server.api.gpu.GpuJson;
import dev.berth.server.api.log.CheckedLogs;
import dev.berth.server.api.model.ModelRequest;
import dev.berth.server.api.people.KnownNames;
import dev.berth.server.api.run.FileRunJson;
import dev.berth.server.api.server.HomeContents;
import dev.berth.server.api.server.ServerDetails;
import dev.berth.server.api.task.FindingsJson;
import dev.berth.server.api.task.OwnerAccounts;
import dev.berth.server.api.task.TaskEndWaiters;
import dev.berth.server.api.task.TaskJson;
import dev.berth.server.api.task.TaskRequest;
import dev.berth.server.api.task.WorkingDirectories;
import dev.berth.server.stream.EventBroadcast;
import dev.berth.telemetry.history.Charts;
import dev.berth.telemetry.metrics.EventMetrics;
import dev.berth.telemetry.metrics.MetricsPage;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Builds the API on an engine and its node: first what runs in the background, then the routes on
 * top of it.
 */
final class Api {

    private final ServerSettings settings;
    private final EngineLoop loop;
    private final EngineClient engine;
    private final TaskQueries queries;
    private final TaskLogs logs;
    private final LogFiles logFiles;
    private final ServerDetails details;
    private final TaskJson taskJson;
    private final AttemptProcesses attemptProcesses;
    private final WorkerHeartbeats heartbeats;

    /** Which account a task runs as. */
    private final OwnerAccounts accounts;

    private final NodeAccess nodeAccess;

    /** Empty if nobody logs in by password. */
    private final Optional<PasswordCheck> passwords;

    /**
     * What the engine's client needs.
     *
     * @param forecasts computes expected starts and ends
     * @param beforeSubmit is called with the owner of new tasks before they are added
     */
    record ClientParts(Executor forecasts, Consumer<Owner> beforeSubmit) {}

    Api(
            ServerSettings settings,
            EngineLoop loop,
            TaskQueries queries,
            ServerInstance.NodeParts parts,
            ClientParts client) {
        var node = parts.ports();
        this.nodeAccess = parts.access();
        this.accounts =
                nodeAccess.accounts().map(OwnerAccounts::of).orElse(OwnerAccounts.OF_SERVER);
        this.passwords = nodeAccess.passwords(settings.config().access().pamService());
        this.settings = settings;
        this.loop = loop;
        this.engine =
                new EngineClient(
                        loop,
                        new ForecastCache(loop, client.forecasts(), System::nanoTime),
                        client.beforeSubmit());
        this.queries = queries;
        var checkedLogs = new CheckedLogs(node.logs(), node.logFiles(), queries);
        this.logs = checkedLogs;
        this.logFiles = checkedLogs;
        this.attemptProcesses = node.attemptProcesses();
        this.heartbeats = node.heartbeats();
        this.details =
                new ServerDetails(
                        CliVersion.CURRENT,
                        settings.home().root(),
                        loop.now(),
                        parts.access().gpus(),
                        node.trackingMethod(),
                        accounts.mode(),
                        node.shim());
        this.taskJson = new TaskJson(engine, logs, new FindingsJson(engine, node.consumptions()));
    }

    /** Subsystems whose data the routes show or change. */
    record Subsystems(
            LiveConfiguration liveConfiguration,
            RunResources lanes,
            LeftoverCleanup leftoverCleanup,
            Charts charts,
            Notifier notifier,
            DatabaseMaintenance maintenance,
            Removal removal,
            ClusterHosts cluster) {}

    /** How ended tasks are found and removed. */
    record Removal(TaskRemover remover, EndedTasks endedTasks) {}

    /** What runs in the background for the API. */
    record Background(EventBroadcast broadcast, RunFileWriter runs, TaskEndWaiters endWaiters) {}

    /** The accounts of users; empty for a server of one user. */
    Optional<Accounts> accounts() {
        return nodeAccess.accounts();
    }

    RunFileWriter runFileWriter(RunResources lanes) {
        var runs =
                RunFileWriter.start(
                        new FileRuns(loop, queries),
                        runJson(lanes)::state,
                        lanes,
                        System::nanoTime);
        lanes.bindings().onChange(runs::onBindingsChanged);
        return runs;
    }

    private TaskLookup lookup() {
        var view = settings.config().access().othersSeeLogs() ? View.LOGS : View.BASIC;
        return new TaskLookup(engine, queries, new TaskAccess(view));
    }

    EventBroadcast broadcast() {
        var events = new EventJson(lookup(), taskJson, alerts());
        var gpus = new GpuJson(engine);
        return EventBroadcast.start(
                loop,
                queries,
                new EventBroadcast.LiveSources(
                        events::messages, () -> gpus.all(true), events::queue));
    }

    RouteTable routes(
            HttpServer httpServer,
            Sessions sessions,
            Subsystems parts,
            Background background,
            EventMetrics eventMetrics) {
        var lookup = lookup();
        var workDirs = workDirs(parts.lanes().paths());
        var liveConfiguration = parts.liveConfiguration();
        var form = taskRequest(workDirs, liveConfiguration);
        var lanes = parts.lanes();
        var commandFiles = commandFiles(lanes, sessions);
        var broadcast = background.broadcast();
        var streams = streams(httpServer, sessions, broadcast);
        var maintenance = parts.maintenance();
        var names = new KnownNames(accounts());
        return ApiRoutes.table(
                CliVersion.CURRENT,
                List.of(
                        ApiRoutes.server(
                                engine, homeContents(parts), details, maintenance, httpServer),
                        ApiRoutes.configuration(details, liveConfiguration, names, httpServer::url),
                        ApiRoutes.people(
                                engine,
                                liveConfiguration,
                                sessions.users(),
                                names,
                                ZoneId.systemDefault()),
                        ApiRoutes.access(engine, sessions, passwordLogins(), httpServer::publicUrl),
                        ApiRoutes.nodes(engine, parts.cluster()),
                        ApiRoutes.gpus(engine, lookup, new GpuJson(engine), parts.charts()),
                        ApiRoutes.tasks(engine, lookup, form, taskJson, background.endWaiters()),
                        ApiRoutes.models(
                                engine,
                                new GpuJson(engine),
                                heartbeats,
                                modelRequest(workDirs, liveConfiguration)),
                        ApiRoutes.removals(engine, lookup, parts.removal().remover()),
                        ApiRoutes.lostTasks(engine, lookup, taskJson, attemptProcesses),
                        ApiRoutes.fileRuns(
                                engine,
                                commandFiles,
                                runJson(lanes),
                                parts.leftoverCleanup(),
                                accounts),
                        ApiRoutes.experiments(engine, lookup, form, taskJson),
                        ApiRoutes.taskLogs(lookup, logs, streams),
                        ApiRoutes.logFiles(lookup, logFiles),
                        ApiRoutes.commandFiles(engine, commandFiles),
                        ApiRoutes.events(lookup, logs, streams),
                        ApiRoutes.metrics(
                                engine,
                                metricsPage(eventMetrics, maintenance),
                                broadcast,
                                liveConfiguration.current().listening().areMetricsOpen(),
                                settings.home().runtime()),
                        ApiRoutes.alerts(queries, alerts(), parts.notifier())));
    }

    private static MetricsPage metricsPage(
            EventMetrics eventMetrics, DatabaseMaintenance maintenance) {
        return new MetricsPage(
                eventMetrics,
                CliVersion.CURRENT,
                () -> maintenance.lastBackup().map(DatabaseMaintenance.Backup::at));
    }

    boolean hasPasswordLogin() {
        return passwords.isPresent();
    }

    private PasswordLogins passwordLogins() {
        return new PasswordLogins(
                passwords,
                new LoginLimit(System::nanoTime),
                settings.http().isBehindProxy(),
                System::nanoTime);
    }

    private CommandFileSets commandFiles(RunResources lanes, Sessions sessions) {
        return settings.http().access().isSystem()
                ? new UserCommandFiles(lanes, new FileRuns(loop, queries), sessions.users())
                : new SharedCommandFiles(lanes);
    }

    private StreamOpener streams(
            HttpServer httpServer, Sessions sessions, EventBroadcast broadcast) {
        return new StreamOpener(
                broadcast,
                httpServer.streamTiming(),
                new StreamSlots(settings.http().limits().streams()),
                sessions);
    }

    private FileRunJson runJson(RunResources lanes) {
        return new FileRunJson(engine, queries, logs, lanes, taskJson);
    }

    /** In the language that was configured at start. */
    private AlertJson alerts() {
        return new AlertJson(settings.config().notifications().language());
    }

    private HomeContents homeContents(Subsystems parts) {
        return new HomeContents(queries, parts.removal().endedTasks(), settings.home().database());
    }

    private TaskRequest taskRequest(
            WorkingDirectories workDirs, LiveConfiguration liveConfiguration) {
        return new TaskRequest(
                workDirs,
                settings.timeLimits(),
                () -> liveConfiguration.current().commands(),
                accounts,
                settings.config().slurm().isPresent());
    }

    private ModelRequest modelRequest(
            WorkingDirectories workDirs, LiveConfiguration liveConfiguration) {
        return new ModelRequest(workDirs, accounts, () -> liveConfiguration.current().commands());
    }

    private static WorkingDirectories workDirs(UserPaths paths) {
        return new WorkingDirectories(
                Path.of("/etc/passwd"), Path.of(System.getProperty("user.home", "/")), paths);
    }
}
