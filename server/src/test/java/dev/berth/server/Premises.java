package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Consumption;
import dev.berth.core.task.Findings;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskId;
import dev.berth.engine.Engine;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.Queueing;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskLogs;
import dev.berth.engine.port.TaskQueries.Filter;
import dev.berth.node.linux.FileSwap;
import dev.berth.server.alert.Language;
import dev.berth.server.api.About;
import dev.berth.server.api.Desk;
import dev.berth.server.api.TimeLimits;
import dev.berth.server.config.ConfigRefused;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.Layers;
import dev.berth.server.config.RuleBook;
import dev.berth.server.history.Charts;
import dev.berth.server.history.Sampler;
import dev.berth.server.identity.Auth;
import dev.berth.server.lane.CommandFiles;
import dev.berth.server.lane.Lanes;
import dev.berth.server.lane.LogPlaces;
import dev.berth.server.lane.ProcessBook;
import dev.berth.server.lane.ProcessFile;
import dev.berth.server.lane.ProcessFileReports;
import dev.berth.server.lane.Remains;
import dev.berth.server.lane.RunSettings;
import dev.berth.server.lane.Runs;
import dev.berth.server.message.Messages;
import dev.berth.server.message.Receiver;
import dev.berth.server.metrics.Figures;
import dev.berth.testkit.MemoryHistory;
import dev.berth.testkit.MemoryStore;

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
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A whole server with an engine of its own, on a store without a disk and a node without processes.
 */
final class Premises implements AutoCloseable {

    static final String VERSION = "1.2.3-test";
    static final int CARDS = 2;

    final Path home;
    final PlantedStrays strays = new PlantedStrays();
    final ProcessBook book;
    final MemoryStore store;
    final ScriptedNode node;
    final EngineLoop engine;

    /** Command files that are being run, by name, and the number of the run. */
    final Map<String, Long> running = new ConcurrentHashMap<>();

    /** Where logs may lie beside the home's own; and where those of tasks may. */
    final List<Path> logRoots = new CopyOnWriteArrayList<>();

    final List<Path> workDirs = new CopyOnWriteArrayList<>();

    /** Where the commands of command files run. */
    volatile Path workDir;

    /** How often a task was looked up. */
    final AtomicLong lookups = new AtomicLong();

    /** What every running attempt is said to have made of its cards. */
    volatile @Nullable Consumption consumed;

    final PrintedLogs logs = new PrintedLogs();
    final Figures figures = new Figures();
    final MemoryHistory history = new MemoryHistory();

    /** Looks when it is told to. */
    final Sampler sampler = new Sampler(history);

    final Messages messages;
    final Door door;

    /** What was written into the audit. */
    final List<String> audit = new CopyOnWriteArrayList<>();

    /** The configurations that came into force while it ran. */
    final List<Configuration> followed = new CopyOnWriteArrayList<>();

    /** What a lab has decided. */
    record House(Rules rules, Duration longWait, List<Receiver> receivers) {
        static final House USUAL = new House(Rules.USUAL, Duration.ofDays(1));

        House(Rules rules, Duration longWait) {
            this(rules, longWait, List.of());
        }
    }

    private Messages messages(House house) throws IOException {
        var settings =
                new Messages.Settings(
                        house.receivers(),
                        Optional.empty(),
                        Language.CHINESE,
                        Optional.of("https://berth.example.org/"),
                        home.resolve("messages"));
        return Messages.start(settings, engine, store, Messages.Means.usual());
    }

    private Premises(DoorSettings settings, Door.Patience patience, MemoryStore store, House house)
            throws Exception {
        this.home = settings.home();
        this.workDir = home;
        this.store = store;
        var processes = new ProcessFile(() -> home.resolve("logs/uni_id.json"), FileSwap::exchange);
        var made = new AtomicReference<ScriptedNode>();
        this.engine =
                EngineLoop.start(
                        InstantSource.system(),
                        new ProcessFileReports(processes, InstantSource.system()),
                        facts -> {
                            made.set(new ScriptedNode(facts));
                            return recover(made.get(), settings.limits().queuedTasks(), house);
                        });
        this.node = made.get();
        node.read(CARDS);
        eventually("the cards are known", () -> engine.state().cards().size() == CARDS);
        this.book = ProcessBook.open(processes, engine, store, PlantedStrays::shell);
        this.messages = messages(house);
        this.door =
                new Door(
                        settings,
                        new Desk(
                                engine,
                                new WatchedQueries(store, _ -> lookups.incrementAndGet()),
                                logs,
                                _ -> Optional.ofNullable(consumed),
                                lanes(),
                                new Remains(engine, store, book, strays),
                                new Charts(history, sampler::fresh),
                                messages),
                        new About(
                                VERSION,
                                home,
                                Instant.parse("2025-11-15T08:00:00Z"),
                                "sim:2x24000",
                                "",
                                TimeLimits.USUAL,
                                book(home, followed),
                                figures),
                        audit::add,
                        patience);
    }

    /** With the files of the home, and nothing set anywhere else. */
    static RuleBook book(Path home, List<Configuration> followed) throws ConfigRefused {
        var layers = Layers.of(home);
        return new RuleBook(layers, Configuration.load(layers), _ -> {}, followed::add);
    }

    /** Loopback callers are served. */
    static Premises open() throws Exception {
        return open(Auth.NONE, Door.Patience.USUAL);
    }

    static Premises open(Auth auth, Door.Patience patience) throws Exception {
        return open(home -> DoorSettings.local(home, 0, auth), patience);
    }

    static Premises open(Function<Path, DoorSettings> settings, Door.Patience patience)
            throws Exception {
        var home = Files.createTempDirectory("berth-door-");
        var premises = new Premises(settings.apply(home), patience, new MemoryStore(), House.USUAL);
        premises.door.open();
        return premises;
    }

    static Premises open(House house) throws Exception {
        var settings = DoorSettings.local(Files.createTempDirectory("berth-door-"), 0, Auth.NONE);
        var premises = new Premises(settings, Door.Patience.USUAL, new MemoryStore(), house);
        premises.door.open();
        return premises;
    }

    /** Another server on what the first has kept, on the same port. */
    Premises next() throws Exception {
        int port = URI.create(door.url()).getPort();
        close();
        var home = Files.createTempDirectory("berth-door-");
        var settings = DoorSettings.local(home, port, Auth.TOKEN);
        var premises = new Premises(settings, Door.Patience.USUAL, store.another(), House.USUAL);
        premises.door.open();
        return premises;
    }

    private Lanes lanes() {
        var usual = Lanes.at(home);
        var runs = new Runs(engine, store);
        return new Lanes(
                usual.files(),
                usual.bindings(),
                new LogPlaces(home, () -> logRoots, () -> workDirs),
                (mode, index) -> {
                    var pid = running.get(CommandFiles.name(mode, index));
                    return pid == null ? runs.pid(mode, index) : OptionalLong.of(pid);
                },
                new RunSettings(
                        home,
                        () -> workDir,
                        () -> home.resolve("logs"),
                        () -> Duration.ofSeconds(5)));
    }

    /** Writes a command file of the home. */
    void commands(String name, String text) throws IOException {
        Files.createDirectories(home.resolve("command"));
        Files.writeString(home.resolve("command").resolve(name), text);
    }

    /** A token of the server's user. */
    String token() {
        return token("{\"name\":\"test\"}");
    }

    String token(String body) {
        var reply = socket().post("/api/tokens", body);
        if (reply.status() != 201) {
            throw new AssertionError("no token: " + reply);
        }
        return reply.json().get("token").asString();
    }

    /** The cookie of a browser that has logged in, as a header. */
    String cookie() {
        var link = socket().post("/api/login/links", "").json().get("url").asString();
        var reply = tcp().get(URI.create(link).getPath());
        return "Cookie: " + reply.header("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
    }

    static Premises closed(Path home) throws Exception {
        return new Premises(
                DoorSettings.local(home, 0, Auth.NONE),
                Door.Patience.USUAL,
                new MemoryStore(),
                House.USUAL);
    }

    private Engine recover(ScriptedNode host, int mostWaiting, House house) {
        try {
            var usual = Queueing.USUAL;
            var queueing = new Queueing(usual.order(), mostWaiting, house.longWait(), usual.poll());
            var parts =
                    new Engine.Parts(
                            store,
                            host,
                            new Planner(house.rules()),
                            queueing,
                            Failpoints.NONE,
                            figures);
            var engine = Engine.recover(parts, 0, Instant.now());
            figures.begin(engine::state, Instant.now());
            return engine;
        } catch (StoreFailure e) {
            throw new AssertionError(e);
        }
    }

    /**
     * On a thread of its own: the common pool has one on a small machine, and it may be waiting.
     */
    static <T> CompletableFuture<T> beside(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, Thread::startVirtualThread);
    }

    Http tcp() {
        return Http.port(URI.create(door.url()).getPort());
    }

    Http socket() {
        return Http.socket(door.socket());
    }

    long tasks() {
        return store.count(Filter.ALL);
    }

    /** A good request that needs no card. */
    static String cpuTask(String name) {
        return body(Map.of("name", name, "command", "true", "devices", "cpu"));
    }

    static String body(Map<String, ?> fields) {
        return JsonMapper.shared().writeValueAsString(fields);
    }

    long submit(String body) {
        var reply = socket().post("/api/tasks", body);
        if (reply.status() != 201) {
            throw new AssertionError("not taken: " + reply);
        }
        return reply.json().get("id").asLong();
    }

    /** A task that waits for a person's word. */
    long draft(Map<String, ?> fields) {
        var reply = socket().post("/experiments/", body(fields));
        if (reply.status() != 201) {
            throw new AssertionError("not taken: " + reply);
        }
        return reply.json().get("id").asLong();
    }

    /** From now on nothing starts by itself. */
    void stopScheduler() {
        var reply = socket().post("/api/scheduler/stop", "");
        if (reply.status() != 200) {
            throw new AssertionError("not stopped: " + reply);
        }
    }

    JsonNode show(long id) {
        return socket().get("/api/tasks/" + id).json();
    }

    /** Ends the first attempt of a task. */
    void end(long task, int code) {
        endFound(task, code, Findings.NONE);
    }

    /** What is found out about an attempt that used its card well. */
    static Findings found(Diagnosis diagnosis) {
        var used =
                new Consumption(
                        7000, 5000, OptionalInt.of(90), OptionalInt.of(40), Duration.ofSeconds(60));
        return new Findings(Optional.of(diagnosis), Optional.of(used));
    }

    void endFound(long task, int code, Findings findings) {
        var attempt = new AttemptId(new TaskId(task), 1);
        // The node tells of the start after the submit was answered.
        eventually(
                "task " + task + " has started",
                () ->
                        engine.state().attempts().get(attempt).stream()
                                .anyMatch(one -> one.phase() instanceof Phase.Running));
        node.end(attempt, code, findings);
        eventually(
                "task " + task + " is over",
                () -> !engine.state().tasks().contains(new TaskId(task)));
    }

    @Override
    public void close() throws IOException {
        door.close();
        messages.close();
        book.close();
        engine.close();
        var left = new ArrayList<Path>();
        try (var all = Files.walk(home)) {
            all.sorted(Comparator.reverseOrder()).forEach(left::add);
        }
        for (var path : left) {
            Files.delete(path);
        }
    }

    /** Logs that a test has written down. */
    static final class PrintedLogs implements TaskLogs {

        final Map<AttemptId, List<String>> lines = new ConcurrentHashMap<>();

        /** Logs of which every byte counts, as in a file. */
        final Map<AttemptId, String> texts = new ConcurrentHashMap<>();

        void print(long task, String text) {
            texts.merge(new AttemptId(new TaskId(task), 1), text, String::concat);
        }

        /** Readers wait here. */
        volatile CountDownLatch gate = new CountDownLatch(0);

        volatile boolean broken;
        volatile boolean defective;

        @Override
        public Piece tail(AttemptId attempt, int count) throws LogUnreadable {
            var all = all(attempt);
            int from = Math.max(0, all.size() - count);
            return new Piece(all.subList(from, all.size()), from > 0, false, all.size());
        }

        /** An offset counts lines here. */
        @Override
        public Piece from(AttemptId attempt, long offset, boolean partial) throws LogUnreadable {
            var text = texts.get(attempt);
            if (text != null) {
                return piece(text, (int) Math.min(offset, text.length()), partial);
            }
            var all = all(attempt);
            var rest = new ArrayList<>(all.subList((int) Math.min(offset, all.size()), all.size()));
            if (partial) {
                rest.add("…");
            }
            return new Piece(rest, offset > 0, false, all.size());
        }

        private static Piece piece(String text, int from, boolean partial) {
            int end = partial ? text.length() : text.lastIndexOf('\n') + 1;
            var rest = end <= from ? "" : text.substring(from, end);
            return new Piece(rest.lines().toList(), from > 0, false, Math.max(from, end));
        }

        @Override
        public String path(AttemptId attempt) {
            return "/logs/" + attempt + "/tmux.log";
        }

        private List<String> all(AttemptId attempt) throws LogUnreadable {
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (defective) {
                throw new IllegalStateException("a secret of the inside");
            }
            if (broken) {
                throw new LogUnreadable("told to fail", new IOException("told to fail"));
            }
            return lines.getOrDefault(attempt, List.of());
        }
    }
}
