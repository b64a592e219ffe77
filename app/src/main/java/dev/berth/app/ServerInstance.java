package dev.berth.app;

import dev.berth.app.recover.HomeFiles;
import dev.berth.app.recover.LostStateCheck;
import dev.berth.cli.call.CliVersion;
import dev.berth.config.ConfigEdit;
import dev.berth.config.Configuration;
import dev.berth.config.LiveConfiguration;
import dev.berth.engine.Engine;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineReply;
import dev.berth.files.LineSampler;
import dev.berth.files.UserPaths;
import dev.berth.identity.Credentials;
import dev.berth.identity.LoginCodes;
import dev.berth.identity.Sessions;
import dev.berth.node.linux.FileExchange;
import dev.berth.node.process.CommandShell;
import dev.berth.notify.ConnectionSettings;
import dev.berth.notify.Notifier;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskFolders;
import dev.berth.port.event.ServerPayload;
import dev.berth.port.read.ClusterHosts;
import dev.berth.port.read.DatabaseMaintenance;
import dev.berth.port.read.NodePorts;
import dev.berth.retention.Retention;
import dev.berth.retention.RetentionLoop;
import dev.berth.retention.RetentionRules;
import dev.berth.retention.TaskRemover;
import dev.berth.runs.FileRuns;
import dev.berth.runs.LeftoverCleanup;
import dev.berth.runs.ProcessFile;
import dev.berth.runs.ProcessFileReports;
import dev.berth.runs.ProcessFileWriter;
import dev.berth.server.HttpServer;
import dev.berth.server.ListenFailure;
import dev.berth.server.ResponseSender;
import dev.berth.server.api.task.TaskEndWaiters;
import dev.berth.slurm.SlurmCluster;
import dev.berth.store.BackupFiles;
import dev.berth.store.CancelFile;
import dev.berth.store.Database;
import dev.berth.store.GenerationFile;
import dev.berth.store.HeldFiles;
import dev.berth.store.HomeLock;
import dev.berth.store.HomeRefused;
import dev.berth.store.LocalFileSystem;
import dev.berth.store.SqliteHistory;
import dev.berth.store.SqliteMaintenance;
import dev.berth.store.SqliteTaskQueries;
import dev.berth.store.SqliteTaskStore;
import dev.berth.store.StoreGuard;
import dev.berth.telemetry.audit.Auditor;
import dev.berth.telemetry.history.Charts;
import dev.berth.telemetry.history.Sampler;
import dev.berth.telemetry.metrics.EventMetrics;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A server with all its parts, from the lock on its home to its HTTP listener. */
final class ServerInstance implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ServerInstance.class);

    /** Longer than any commit that still succeeds. */
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(30);

    private final ServerSettings settings;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final EventMetrics eventMetrics = new EventMetrics();

    /** Closed in reverse order. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private final UserPaths userPaths;

    private ClusterHosts clusterHosts = ClusterHosts.NONE;
    private String url = "";
    private Path socket = Path.of("");

    private ServerInstance(ServerSettings settings) {
        this.settings = settings;
        this.userPaths = keepUserPaths();
    }

    /**
     * Returns when the server accepts requests. The attempts of the previous server are found again
     * meanwhile, each on its own.
     */
    static ServerInstance start(ServerSettings settings)
            throws HomeRefused, StoreFailure, ListenFailure, IOException, InterruptedException {
        var server = new ServerInstance(settings);
        try {
            server.open();
            return server;
        } catch (HomeRefused
                | StoreFailure
                | ListenFailure
                | IOException
                | InterruptedException
                | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    String url() {
        return url;
    }

    Path socket() {
        return socket;
    }

    void awaitStop() throws InterruptedException {
        awaitStop(() -> {}, () -> {});
    }

    /**
     * @param before runs before the server closes
     * @param after runs after it has closed
     */
    void awaitStop(Runnable before, Runnable after) throws InterruptedException {
        // The JVM runs hooks on SIGTERM and SIGINT, and exits when they return.
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    before.run();
                                    close();
                                    after.run();
                                },
                                "stop"));
        stopped.await();
    }

    private void open()
            throws HomeRefused, StoreFailure, ListenFailure, IOException, InterruptedException {
        var home = settings.home();
        var lock = lockHome(home);
        home.create();
        home.deleteLeftovers();
        var serverLog = LogSetup.start(home.logs().resolve("berth.log"), settings.isQuiet());
        keep(new CountWriter(serverLog::writeFinishedCounts, serverLog::writeAllCounts));
        logStart(home);

        keep(PreparedThreads.carriers());
        var failpoints = FileFailpoints.ofThisProcess();
        var backups = new BackupFiles(BackupFiles.directoryOf(home.root()));
        var files = home.files();
        var access = keep(NodeAccess.of(settings, userPaths));
        var database =
                Database.open(
                        home.database(),
                        backups,
                        new LostStateCheck(files, access::traces, home.recovery()));
        var guard = guard(files, database, lock);
        var store = keep(new SqliteTaskStore(database, guard));
        var queries = keep(new SqliteTaskQueries(database));
        InstantSource clock = new SteadyClock(TestableTime.ofThisProcess(), System::nanoTime);
        var processes =
                new ProcessFile(
                        settings.config().lanes().files()::processJson,
                        FileExchange::exchange,
                        userPaths);
        var reports = new ProcessFileReports(processes, clock, keepReader());
        var node = access.start(failpoints, reports::of);
        log.info("the GPUs are read by {}", node.probeName());
        var engineParts =
                new Engine.Parts(
                        store,
                        node,
                        settings.planner(),
                        settings.queueing(),
                        failpoints,
                        eventMetrics,
                        keep(CancelFile.open(home.cancels())));
        var cluster = SlurmEngine.open(settings, access, node, reports::of, clock);
        cluster.ifPresent(this::keep);
        cluster.ifPresent(one -> clusterHosts = one.nodes());
        var loop = keep(startEngine(engineParts, cluster, database, node, clock));
        var processFileWriter =
                keep(ProcessFileWriter.open(processes, loop, queries, CommandShell::of));

        startHttpServer(
                new NodeParts(access, node),
                loop,
                queries,
                processFileWriter,
                maintenance(database, backups, loop));
        lock.publishAddress(url);
        access.announce(url, ServerInstance::exit);
        keep(EndedRunsLoader.start(queries, loop::observe));
    }

    /** As by a signal: the hooks of the JVM close the server. */
    private static void exit() {
        Thread.ofPlatform().daemon().name("exit").start(() -> System.exit(0));
    }

    private HomeLock lockHome(HomePaths home) throws HomeRefused, IOException {
        for (var directory : home.directories()) {
            LocalFileSystem.require(directory);
        }
        home.requirePrivate();
        var lock = keep(HomeLock.take(home.root()));
        if (home.keepsTasksElsewhere()) {
            // Another home may be configured with the same task directory.
            keep(HomeLock.take(home.runtime()));
        }
        return lock;
    }

    /** Protects the files of the home from now on. */
    private StoreGuard guard(HomeFiles files, Database database, HomeLock lock)
            throws StoreFailure, IOException {
        var generation = keep(GenerationFile.open(files.generation(), database.generation()));
        var held =
                HeldFiles.of(
                        files.database().toAbsolutePath(),
                        List.of(files.root(), lock.path(), files.tasks()));
        keep(HomeWatch.start(held, generation, lock));
        return new StoreGuard(held, Optional.of(generation));
    }

    private void logStart(HomePaths home) {
        log.info(
                "starting version={} home={} gpus={}",
                CliVersion.CURRENT,
                home.root(),
                settings.gpus());
        settings.config().warnings().forEach(log::warn);
    }

    /** No task directory has a higher id than the database: that was checked before. */
    private EngineLoop startEngine(
            Engine.Parts localParts,
            Optional<SlurmCluster> cluster,
            Database database,
            NodePorts node,
            InstantSource clock)
            throws HomeRefused, StoreFailure {
        long highestTask = database.generation().lastTask();
        var engineParts = SlurmEngine.withCluster(localParts, cluster, settings.config());
        try {
            return EngineLoop.start(
                    clock,
                    facts -> {
                        node.reportTo(facts);
                        cluster.ifPresent(one -> one.start(facts));
                        var now = clock.instant();
                        var engine = Engine.recover(engineParts, highestTask, now);
                        eventMetrics.begin(engine::state, now);
                        return engine;
                    });
        } catch (StoreFailure failure) {
            throw database.refusal(failure);
        }
    }

    /** The node, and how it is reached. */
    record NodeParts(NodeAccess access, NodePorts ports) {}

    private void startHttpServer(
            NodeParts node,
            EngineLoop loop,
            SqliteTaskQueries queries,
            ProcessFileWriter processFileWriter,
            DatabaseMaintenance maintenance)
            throws ListenFailure, StoreFailure, IOException {
        var home = settings.home();
        var liveConfiguration =
                new LiveConfiguration(
                        settings.sources(),
                        settings.config(),
                        settings::with,
                        (other, edit) -> follow(loop, settings.with(other), edit));
        var audit = keep(AuditFile.open(home));
        var lanes =
                ConfiguredRuns.of(
                        home.root(),
                        liveConfiguration::current,
                        new FileRuns(loop, queries),
                        userPaths);
        var cleanup =
                new LeftoverCleanup(loop, queries, processFileWriter, node.ports().leftovers());
        var notifier =
                keep(
                        Notifier.start(
                                settings.notifications(),
                                loop,
                                queries,
                                ConnectionSettings.usual()));
        var charts = charts(home.history(), loop);
        var httpServer =
                listen(
                        new Api(
                                settings,
                                loop,
                                queries,
                                node,
                                clientParts(loop, node, liveConfiguration::current)),
                        new Api.Subsystems(
                                liveConfiguration,
                                lanes,
                                cleanup,
                                charts,
                                notifier,
                                maintenance,
                                removal(loop, queries, node.access().folders()),
                                clusterHosts),
                        loop,
                        audit);
        url = httpServer.url();
        socket = httpServer.socket();
    }

    private DatabaseMaintenance maintenance(Database database, BackupFiles files, EngineLoop loop) {
        var backups = settings.config().storage().backups();
        return keep(
                SqliteMaintenance.start(
                        database,
                        new SqliteMaintenance.Settings(files, backups.keep(), backups.hour()),
                        new SqliteMaintenance.Surroundings(
                                Clock.system(ZoneId.systemDefault()),
                                loop::observe,
                                () -> loop.state().sinceStart().isDiskLow())));
    }

    /** Removes ended tasks by request, and by rule in the background. */
    private Api.Removal removal(EngineLoop loop, SqliteTaskQueries queries, TaskFolders folders) {
        var endedTasks = queries.endedTasks();
        var remover =
                new TaskRemover(loop, queries, endedTasks, folders, FileFailpoints.ofThisProcess());
        var keep = settings.config().storage().ended();
        var rules = new RetentionRules(keep.days(), keep.tasks());
        keep(RetentionLoop.start(new Retention(rules, remover, endedTasks, folders, loop::now)));
        return new Api.Removal(remover, endedTasks);
    }

    /** Not awaited at the end: the file's storage may hang. */
    private Executor keepReader() {
        var threads = Thread.ofPlatform().daemon().name("process-file-reader").factory();
        var reader = PreparedThreads.pool(1, threads);
        keep((AutoCloseable) reader::shutdownNow);
        return reader;
    }

    private Api.ClientParts clientParts(
            EngineLoop loop, NodeParts node, Supplier<Configuration> now) {
        var groups = keep(GroupRefresh.start(loop, node.access().accounts(), now));
        return new Api.ClientParts(keepForecaster(), groups::beforeSubmit);
    }

    /** Not awaited at the end: a forecast that nobody sees is not needed. */
    private Executor keepForecaster() {
        var threads = Thread.ofPlatform().daemon().name("forecast").factory();
        var forecaster = PreparedThreads.pool(1, threads);
        keep((AutoCloseable) forecaster::shutdownNow);
        return forecaster;
    }

    /** Not awaited at the end: a path may not answer. */
    private UserPaths keepUserPaths() {
        var threads =
                PreparedThreads.pool(
                        UserPaths.THREADS,
                        Thread.ofPlatform().daemon().name("user-path-", 1).factory());
        keep((AutoCloseable) threads::shutdownNow);
        return UserPaths.on(threads);
    }

    /** A look-up is not awaited at the end. */
    private HttpServer.Runtime httpRuntime() {
        var lookups =
                PreparedThreads.pool(
                        2, Thread.ofPlatform().daemon().name("loopback-", 1).factory());
        keep((AutoCloseable) lookups::shutdownNow);
        return new HttpServer.Runtime(lookups, System::nanoTime);
    }

    /** A failure to open the history does not stop the server. */
    private Charts charts(Path file, EngineLoop loop) {
        if (!settings.config().storage().keepsHistory()) {
            return Charts.NONE;
        }
        try {
            var history = keep(SqliteHistory.open(file));
            return new Charts(history, keep(Sampler.start(history, loop))::unstoredOf);
        } catch (StoreFailure failure) {
            log.warn(
                    "no history is recorded: {}; to start a new one, stop the server and move {}"
                            + " away",
                    failure.getMessage(),
                    file);
            return Charts.NONE;
        }
    }

    /**
     * Opens the HTTP server. Closing goes in the opposite order: no new connections, then the
     * streams and waiting requests end, then the server stops, then the last states of file runs
     * are written.
     */
    private HttpServer listen(Api api, Api.Subsystems subsystems, EngineLoop loop, AuditFile audit)
            throws ListenFailure, IOException {
        var runs = keep(api.runFileWriter(subsystems.lanes()));
        var access = settings.http().access().withPasswordLogin(api.hasPasswordLogin());
        var httpServer = keep(new HttpServer(settings.http().with(access), httpRuntime()));
        var broadcast = keep(api.broadcast());
        var endWaiters = keep(new TaskEndWaiters(loop));
        var sessions =
                new Sessions(
                        new Credentials(loop),
                        new LoginCodes(),
                        httpServer.sessionCookie(),
                        httpServer.servedUsers(api.accounts()));
        var background = new Api.Background(broadcast, runs, endWaiters);
        var routes = api.routes(httpServer, sessions, subsystems, background, eventMetrics);
        keep(httpServer::stopAccepting);
        var auditor = new Auditor(audit, loop::now, new LineSampler(System::nanoTime));
        keep(new CountWriter(auditor::writeFinishedCounts, auditor::writeAllCounts));
        httpServer.open(
                routes,
                sessions,
                auditor,
                new ResponseSender.Reporting(CliVersion.CURRENT, eventMetrics::onResponse));
        return httpServer;
    }

    /** Applies new rules from the next scheduling pass on. */
    private static void follow(EngineLoop loop, ServerSettings now, ConfigEdit edit) {
        var changeRules =
                new EngineCommand.ChangeRules(
                        loop.now(),
                        edit.actor().owner(),
                        now.rules(),
                        now.tuning(),
                        edit.changes().stream().map(ServerInstance::event).toList());
        var reply =
                loop.ask(EngineCommand.by(edit.actor(), changeRules))
                        .orTimeout(COMMIT_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                        .join();
        if (!(reply instanceof EngineReply.Done)) {
            throw new IllegalStateException("the engine rejected the rules: " + reply);
        }
    }

    private static ServerPayload event(ConfigEdit.KeyChange change) {
        var stored = new ServerPayload.KeyChange(change.key(), change.from(), change.to());
        return new ServerPayload.RulesChanged(Optional.of(stored));
    }

    private <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    /** Running tasks continue; the next server adopts them. */
    @Override
    public void close() {
        if (!url.isEmpty()) {
            log.info("server.stopped");
        }
        while (!parts.isEmpty()) {
            var part = parts.pop();
            try {
                part.close();
            } catch (Exception failure) {
                log.warn(
                        "closing {} failed: {}",
                        part.getClass().getSimpleName(),
                        failure.toString());
            }
        }
        stopped.countDown();
    }
}
