package dev.berth.server;

import static java.time.ZoneOffset.UTC;

import dev.berth.config.ConfigSources;
import dev.berth.config.Configuration;
import dev.berth.config.InvalidConfigException;
import dev.berth.config.LiveConfiguration;
import dev.berth.config.receiver.Receiver;
import dev.berth.core.access.CommandPolicy;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.GpuConsumption;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.QueueSettings;
import dev.berth.files.LineSampler;
import dev.berth.http.RouteTable;
import dev.berth.http.limit.StreamSlots;
import dev.berth.identity.AuthMode;
import dev.berth.identity.Credentials;
import dev.berth.identity.LoginCodes;
import dev.berth.identity.Sessions;
import dev.berth.node.linux.FileExchange;
import dev.berth.notify.ConnectionSettings;
import dev.berth.notify.Notifier;
import dev.berth.notify.alert.AlertJson;
import dev.berth.port.Failpoints;
import dev.berth.port.PasswordCheck;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.ClusterHosts;
import dev.berth.port.read.DatabaseMaintenance;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.retention.TaskRemover;
import dev.berth.runs.FileRuns;
import dev.berth.runs.LeftoverCleanup;
import dev.berth.runs.ProcessFile;
import dev.berth.runs.ProcessFileReports;
import dev.berth.runs.ProcessFileWriter;
import dev.berth.runs.RunFileWriter;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.ForecastCache;
import dev.berth.server.api.TaskAccess;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.event.EventJson;
import dev.berth.server.api.event.StreamOpener;
import dev.berth.server.api.gpu.GpuJson;
import dev.berth.server.api.model.ModelRequest;
import dev.berth.server.api.run.FileRunJson;
import dev.berth.server.api.server.HomeContents;
import dev.berth.server.api.server.ServerDetails;
import dev.berth.server.api.task.FindingsJson;
import dev.berth.server.api.task.OwnerAccounts;
import dev.berth.server.api.task.TaskEndWaiters;
import dev.berth.server.api.task.TaskJson;
import dev.berth.server.api.task.TaskRequest;
import dev.berth.server.api.task.TimeLimits;
import dev.berth.server.stream.EventBroadcast;
import dev.berth.telemetry.audit.Auditor;
import dev.berth.telemetry.history.Charts;
import dev.berth.telemetry.history.Sampler;
import dev.berth.telemetry.metrics.EventMetrics;
import dev.berth.telemetry.metrics.MetricsPage;
import dev.berth.testengine.TestEngine;
import dev.berth.testkit.FakeAccounts;
import dev.berth.testkit.FakeLogFiles;
import dev.berth.testkit.FakeTaskLogs;
import dev.berth.testkit.MemoryHistory;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.ObservedQueries;
import dev.berth.testkit.http.TestHttpClient;
import dev.berth.testkit.node.FakeLeftovers;
import dev.berth.testkit.node.FakeTaskFolders;
import dev.berth.testkit.node.ScriptedNode;
import dev.berth.texts.Language;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;

/** A complete server with its own engine, an in-memory store and a node without processes. */
public final class TestServer implements AutoCloseable {

    public static final String VERSION = "1.2.3-test";
    public static final int GPUS = 2;

    public final Path home;
    public final FakeMaintenance maintenance = new FakeMaintenance();
    public final FakeLeftovers strays = new FakeLeftovers();
    public final FakeTaskFolders folders = new FakeTaskFolders();
    public final FakeAttemptProcesses processes = new FakeAttemptProcesses();
    final ProcessFileWriter processBook;
    public final MemoryStore store;
    private final TestEngine testEngine;
    public final ScriptedNode node;
    public final EngineLoop engine;

    /** File names of running command files, with the number of the run. */
    public final Map<String, Long> running = new ConcurrentHashMap<>();

    /** Directories of logs outside the home, and those in which tasks may write logs. */
    public final List<Path> logRoots = new CopyOnWriteArrayList<>();

    public final List<Path> workDirs = new CopyOnWriteArrayList<>();

    /** The working directory of command files. */
    public volatile Path workDir;

    /** As if the configuration had a {@code work_dir}. */
    public volatile boolean isWorkDirSet;

    /** Which commands may be submitted. */
    public volatile CommandPolicy commands = CommandPolicy.OPEN;

    /** The GPU usage reported for every running attempt. */
    volatile @Nullable public GpuConsumption usage;

    /** When workers of models last gave a sign of life. */
    public final Map<AttemptId, Instant> heartbeats = new ConcurrentHashMap<>();

    public final FakeTaskLogs logs = new FakeTaskLogs();
    private final FakeLogFiles logFiles = new FakeLogFiles(logs.texts);
    final EventMetrics figures = new EventMetrics();
    public final MemoryHistory history = new MemoryHistory();

    /** Takes a sample only when the test asks for it. */
    public final Sampler sampler = new Sampler(history);

    final Notifier messages;
    public final HttpServer door;
    private final Sessions sessions;
    private final Api api;
    private final OwnerAccounts accounts;

    /** What users see of each other's tasks. */
    private final TaskAccess taskAccess;

    /** The filters whose tasks were all counted. */
    public final List<Filter> counted = new CopyOnWriteArrayList<>();

    /** The lines of the audit log. */
    public final List<String> audit = new CopyOnWriteArrayList<>();

    /** The configurations that came into force while the server ran. */
    public final List<Configuration> applied = new CopyOnWriteArrayList<>();

    /** The configurable part of the server. */
    public record Options(
            SchedulingRules rules,
            Duration longWait,
            List<Receiver> receivers,
            OwnerAccounts accounts,
            TaskAccess taskAccess,
            FakeAccounts machine) {
        static final Options DEFAULT = new Options(SchedulingRules.DEFAULT, Duration.ofDays(1));

        public Options(SchedulingRules rules, Duration longWait, List<Receiver> receivers) {
            this(
                    rules,
                    longWait,
                    receivers,
                    OwnerAccounts.OF_SERVER,
                    TaskAccess.BASIC,
                    new FakeAccounts());
        }

        /** Each task runs as its owner. */
        public static Options system(Accounts accounts) {
            return new Options(
                    DEFAULT.rules(),
                    DEFAULT.longWait(),
                    DEFAULT.receivers(),
                    OwnerAccounts.of(accounts),
                    TaskAccess.BASIC,
                    new FakeAccounts());
        }

        public Options(SchedulingRules rules, Duration longWait) {
            this(rules, longWait, List.of());
        }
    }

    private Notifier messages(Options house, boolean isSystem) throws IOException {
        var settings =
                new Notifier.NotifierSettings(
                        house.receivers(),
                        Optional.empty(),
                        Language.CHINESE,
                        Optional.of("https://berth.example.org/"),
                        home.resolve("messages"),
                        isSystem && house.taskAccess().others() == TaskAccess.View.BASIC);
        return Notifier.start(settings, engine, store, ConnectionSettings.usual());
    }

    private TestServer(
            HttpSettings settings, HttpServer.Timeouts patience, MemoryStore store, Options house)
            throws Exception {
        this.home = settings.home();
        this.accounts = house.accounts();
        this.workDir = home;
        this.store = store;
        this.taskAccess = house.taskAccess();
        var processes =
                new ProcessFile(() -> home.resolve("logs/uni_id.json"), FileExchange::exchange);
        var reports =
                new ProcessFileReports(
                        processes, InstantSource.system(), Thread::startVirtualThread);
        this.testEngine = new TestEngine(store, options(settings, house, reports));
        this.engine = testEngine.loop;
        this.node = testEngine.node;
        this.processBook = ProcessFileWriter.open(processes, engine, store, FakeLeftovers::shell);
        this.messages = messages(house, settings.access().isSystem());
        this.door = new HttpServer(settings, patience, runtime);
        this.sessions =
                new Sessions(
                        new Credentials(engine),
                        new LoginCodes(),
                        door.sessionCookie(),
                        door.servedUsers(Optional.of(house.machine())));
        this.api = api(settings);
    }

    /** Without a look-up its threads do not exist. */
    final HttpServer.Runtime runtime =
            new HttpServer.Runtime(
                    Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory()),
                    System::nanoTime);

    /** The route table and the parts of the API that run in the background. */
    private record Api(
            RouteTable table,
            EventBroadcast broadcast,
            RunFileWriter runs,
            TaskEndWaiters finishes) {}

    private Api api(HttpSettings settings) throws InvalidConfigException {
        var client =
                new EngineClient(
                        engine, new ForecastCache(engine, Runnable::run, System::nanoTime));
        var queries = new ObservedQueries(store, _ -> {}, counted::add);
        var lookup = new TaskLookup(client, queries, taskAccess);
        var tasks =
                new TaskJson(
                        client, logs, new FindingsJson(client, _ -> Optional.ofNullable(usage)));
        var rules = processBook(home, applied);
        var alerts = new AlertJson(rules.current().notifications().language());
        var events = new EventJson(lookup, tasks, alerts);
        var gpus = new GpuJson(client);
        var broadcast =
                EventBroadcast.start(
                        engine,
                        queries,
                        new EventBroadcast.LiveSources(
                                events::messages, () -> gpus.all(true), events::queue));
        var lanes = TestRunResources.of(this);
        var commandFiles =
                SystemServer.commandFiles(
                        settings, lanes, new FileRuns(engine, store), sessions.users());
        var runJson = new FileRunJson(client, queries, logs, lanes, tasks);
        var runs =
                RunFileWriter.start(
                        new FileRuns(engine, queries), runJson::state, lanes, System::nanoTime);
        lanes.bindings().onChange(runs::onBindingsChanged);
        var finishes = new TaskEndWaiters(engine);
        var streams =
                new StreamOpener(
                        broadcast,
                        door.streamTiming(),
                        new StreamSlots(settings.limits().streams()),
                        sessions);
        var directories = TestRunResources.workingDirectories(lanes);
        var form =
                new TaskRequest(directories, TimeLimits.DEFAULT, () -> commands, accounts, false);
        var names = SystemServer.names(accounts);
        var table =
                ApiRoutes.table(
                        VERSION,
                        List.of(
                                ApiRoutes.server(
                                        client,
                                        new HomeContents(queries, store, home),
                                        details(),
                                        maintenance,
                                        door),
                                ApiRoutes.configuration(details(), rules, names, door::url),
                                ApiRoutes.people(client, rules, sessions.users(), names, UTC),
                                ApiRoutes.access(
                                        client,
                                        sessions,
                                        SystemServer.passwordLogins(this, settings),
                                        door::publicUrl),
                                ApiRoutes.nodes(client, ClusterHosts.NONE),
                                ApiRoutes.gpus(
                                        client,
                                        lookup,
                                        gpus,
                                        new Charts(history, sampler::unstoredOf)),
                                ApiRoutes.tasks(client, lookup, form, tasks, finishes),
                                ApiRoutes.models(
                                        client,
                                        gpus,
                                        worker -> Optional.ofNullable(heartbeats.get(worker)),
                                        new ModelRequest(directories, accounts, () -> commands)),
                                ApiRoutes.removals(
                                        client,
                                        lookup,
                                        new TaskRemover(
                                                engine, store, store, folders, Failpoints.NONE)),
                                ApiRoutes.lostTasks(client, lookup, tasks, processes),
                                ApiRoutes.fileRuns(
                                        client,
                                        commandFiles,
                                        runJson,
                                        new LeftoverCleanup(engine, store, processBook, strays),
                                        accounts),
                                ApiRoutes.experiments(client, lookup, form, tasks),
                                ApiRoutes.taskLogs(lookup, logs, streams),
                                ApiRoutes.logFiles(lookup, logFiles),
                                ApiRoutes.commandFiles(client, commandFiles),
                                ApiRoutes.events(lookup, logs, streams),
                                ApiRoutes.metrics(
                                        client,
                                        metricsPage(),
                                        broadcast,
                                        rules.current().listening().areMetricsOpen(),
                                        rules.current().storage().runtime()),
                                ApiRoutes.alerts(queries, alerts, messages)));
        return new Api(table, broadcast, runs, finishes);
    }

    private MetricsPage metricsPage() {
        return new MetricsPage(
                figures,
                VERSION,
                () -> maintenance.lastBackup().map(DatabaseMaintenance.Backup::at));
    }

    /** Checks passwords. */
    public volatile PasswordCheck passwords = _ -> new PasswordCheck.Verdict.Wrong();

    private ServerDetails details() {
        return new ServerDetails(
                VERSION,
                home,
                Instant.parse("2025-11-15T08:00:00Z"),
                "sim:2x24000",
                "",
                accounts.mode(),
                "bash");
    }

    /** Starts to accept connections. */
    void listen() throws ListenFailure {
        listenOn(door);
    }

    /** Serves this server's routes through another HTTP server. */
    void listenOn(HttpServer other) throws ListenFailure {
        other.open(
                api.table(),
                sessions,
                new Auditor(audit::add, engine::now, new LineSampler(System::nanoTime)),
                new ResponseSender.Reporting(VERSION, figures::onResponse));
    }

    /** Calls that wait for the end of a task. */
    int waitingCalls() {
        return api.finishes().count();
    }

    public void stopServing() {
        door.stopAccepting();
        api.finishes().close();
        api.broadcast().close();
        door.close();
        runtime.lookups().shutdownNow();
        api.runs().close();
    }

    RouteTable table() {
        return api.table();
    }

    /** With the files of the home and a Chinese locale. */
    public static LiveConfiguration processBook(Path home, List<Configuration> followed)
            throws InvalidConfigException {
        var locale = Map.of("LANG", "zh_CN.UTF-8");
        var layers = new ConfigSources(home, Optional.empty(), locale, new TreeMap<>());
        return new LiveConfiguration(
                layers, Configuration.load(layers), _ -> {}, (next, _) -> followed.add(next));
    }

    /** Loopback callers are served. */
    public static TestServer open() throws Exception {
        return open(AuthMode.NONE, HttpServer.Timeouts.DEFAULT);
    }

    public static TestServer open(AuthMode auth, HttpServer.Timeouts patience) throws Exception {
        return open(home -> HttpSettings.onLoopback(home, 0, auth), patience);
    }

    public static TestServer open(
            Function<Path, HttpSettings> settings, HttpServer.Timeouts patience) throws Exception {
        var home = Files.createTempDirectory("berth-door-");
        var server =
                new TestServer(settings.apply(home), patience, new MemoryStore(), Options.DEFAULT);
        server.listen();
        return server;
    }

    public static TestServer open(Options house) throws Exception {
        var home = Files.createTempDirectory("berth-door-");
        return open(HttpSettings.onLoopback(home, 0, AuthMode.NONE), house);
    }

    static TestServer open(HttpSettings settings, Options house) throws Exception {
        var server =
                new TestServer(settings, HttpServer.Timeouts.DEFAULT, new MemoryStore(), house);
        server.listen();
        return server;
    }

    /** A second server on the first one's store and port. */
    public TestServer restart() throws Exception {
        int port = URI.create(door.url()).getPort();
        close();
        var home = Files.createTempDirectory("berth-door-");
        var settings = HttpSettings.onLoopback(home, port, AuthMode.TOKEN);
        var server =
                new TestServer(
                        settings,
                        HttpServer.Timeouts.DEFAULT,
                        store.forAnotherServer(),
                        Options.DEFAULT);
        server.listen();
        return server;
    }

    /** Writes a command file of the home. */
    public void writeCommandFile(String name, String text) throws IOException {
        Files.createDirectories(home.resolve("command"));
        Files.writeString(home.resolve("command").resolve(name), text);
    }

    /** A token of the server's user. */
    public String token() {
        return token("{\"name\":\"test\"}");
    }

    public String token(String body) {
        var reply = socket().post("/api/tokens", body);
        if (reply.status() != 201) {
            throw new AssertionError("no token: " + reply);
        }
        return reply.json().get("token").asString();
    }

    /** The cookie of a logged-in browser, as a header. */
    public String cookie() {
        var link = socket().post("/api/login/links", "").json().get("url").asString();
        var reply = tcp().get(URI.create(link).getPath());
        return "Cookie: " + reply.header("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
    }

    static TestServer closed(Path home) throws Exception {
        return new TestServer(
                HttpSettings.onLoopback(home, 0, AuthMode.NONE),
                HttpServer.Timeouts.DEFAULT,
                new MemoryStore(),
                Options.DEFAULT);
    }

    private TestEngine.Options options(
            HttpSettings settings, Options house, ProcessFileReports reports) {
        var usual = QueueSettings.DEFAULT;
        var queueing =
                new QueueSettings(
                        usual.order(),
                        settings.limits().queuedTasks(),
                        house.longWait(),
                        usual.pollInterval());
        return TestEngine.Options.DEFAULT
                .withGpus(GPUS)
                .with(house.rules())
                .with(queueing)
                .with(figures, engine -> figures.begin(engine::state, Instant.now()))
                .withReports(reports::of);
    }

    /**
     * On its own thread: on a small machine the common pool has one thread, which may be blocked.
     */
    public static <T> CompletableFuture<T> async(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, Thread::startVirtualThread);
    }

    public TestHttpClient tcp() {
        return TestHttpClient.port(URI.create(door.url()).getPort());
    }

    public TestHttpClient socket() {
        return TestHttpClient.socket(door.socket());
    }

    public long tasks() {
        return store.count(Filter.ALL);
    }

    /** A valid request that needs no GPU. */
    public static String cpuTask(String name) {
        return body(Map.of("name", name, "command", "true", "devices", "cpu"));
    }

    public static String body(Map<String, ?> fields) {
        return JsonMapper.shared().writeValueAsString(fields);
    }

    public long submit(String body) {
        var reply = socket().post("/api/tasks", body);
        if (reply.status() != 201) {
            throw new AssertionError("not taken: " + reply);
        }
        return reply.json().get("id").asLong();
    }

    /** Creates a draft. */
    public long draft(Map<String, ?> fields) {
        var reply = socket().post("/experiments/", body(fields));
        if (reply.status() != 201) {
            throw new AssertionError("not taken: " + reply);
        }
        return reply.json().get("id").asLong();
    }

    public void stopScheduler() {
        var reply = socket().post("/api/scheduler/stop", "");
        if (reply.status() != 200) {
            throw new AssertionError("not stopped: " + reply);
        }
    }

    public JsonNode show(long id) {
        return socket().get("/api/tasks/" + id).json();
    }

    /** Ends the first attempt of a task. */
    public void end(long task, int code) {
        endWithFindings(task, code, AttemptFindings.NONE);
    }

    /** Ends the first attempt of a task that used 7,000 MiB of its GPU at most. */
    public void endWithGpuUse(long task, int code) {
        var used =
                new GpuConsumption(
                        7000, 5000, OptionalInt.of(90), OptionalInt.of(40), Duration.ofSeconds(60));
        endWithFindings(task, code, new AttemptFindings(Optional.empty(), Optional.of(used)));
    }

    public void endWithFindings(long task, int code, AttemptFindings findings) {
        testEngine.end(new TaskId(task), code, findings);
    }

    @Override
    public void close() throws IOException {
        stopServing();
        messages.close();
        processBook.close();
        testEngine.close();
        var left = new ArrayList<Path>();
        try (var all = Files.walk(home)) {
            all.sorted(Comparator.reverseOrder()).forEach(left::add);
        }
        for (var path : left) {
            Files.delete(path);
        }
    }
}
