package dev.berth.app;

import dev.berth.cli.call.CliVersion;
import dev.berth.core.task.Owner;
import dev.berth.engine.Command;
import dev.berth.engine.Engine;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.Reply;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.StoreFailure;
import dev.berth.node.LocalNode;
import dev.berth.node.linux.FileSwap;
import dev.berth.node.process.CommandShell;
import dev.berth.server.Door;
import dev.berth.server.DoorBlocked;
import dev.berth.server.api.About;
import dev.berth.server.api.Desk;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.RuleBook;
import dev.berth.server.history.Charts;
import dev.berth.server.history.Sampler;
import dev.berth.server.lane.CommandFiles;
import dev.berth.server.lane.Lanes;
import dev.berth.server.lane.LogBindings;
import dev.berth.server.lane.LogPlaces;
import dev.berth.server.lane.ProcessBook;
import dev.berth.server.lane.ProcessFile;
import dev.berth.server.lane.ProcessFileReports;
import dev.berth.server.lane.Remains;
import dev.berth.server.lane.RunSettings;
import dev.berth.server.lane.Runs;
import dev.berth.server.message.Messages;
import dev.berth.server.metrics.Figures;
import dev.berth.store.Database;
import dev.berth.store.HomeLock;
import dev.berth.store.HomeRefused;
import dev.berth.store.LocalFileSystem;
import dev.berth.store.SqliteHistory;
import dev.berth.store.SqliteTaskQueries;
import dev.berth.store.SqliteTaskStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A server with all its parts, from the lock on its home to its open door. */
final class Serving implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Serving.class);

    /** Longer than any commit takes that still comes. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Settings settings;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Figures figures = new Figures();

    /** Closed in the opposite order. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private String url = "";
    private Path socket = Path.of("");

    private Serving(Settings settings) {
        this.settings = settings;
    }

    /**
     * Returns when the door is open, which is after everything of an earlier server has been found
     * again.
     */
    static Serving start(Settings settings)
            throws HomeRefused, StoreFailure, DoorBlocked, IOException, InterruptedException {
        var serving = new Serving(settings);
        try {
            serving.open();
            return serving;
        } catch (HomeRefused
                | StoreFailure
                | DoorBlocked
                | IOException
                | InterruptedException
                | RuntimeException e) {
            serving.close();
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
     * @param before the server closes
     * @param after it has closed
     */
    void awaitStop(Runnable before, Runnable after) throws InterruptedException {
        // The JVM runs hooks on SIGTERM and SIGINT, and ends when they return.
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
            throws HomeRefused, StoreFailure, DoorBlocked, IOException, InterruptedException {
        var home = settings.home();
        var config = settings.config();
        for (var directory : home.directories()) {
            LocalFileSystem.require(directory);
        }
        var lock = keep(HomeLock.take(home.root()));
        if (home.keepsTasksElsewhere()) {
            // Another home may be told to keep its tasks in the same place.
            keep(HomeLock.take(home.runtime()));
        }
        home.create();
        Logging.start(home.logs(), settings.isQuiet());
        log.info(
                "starting version={} home={} gpus={}",
                CliVersion.CURRENT,
                home.root(),
                settings.cards());
        config.warnings().forEach(log::warn);
        settings.node()
                .commands()
                .trouble()
                .ifPresent(why -> log.warn("no task can start: {}", why));

        var failpoints = failpoints();
        var database = Database.at(home.database());
        var store = keep(new SqliteTaskStore(database));
        var queries = keep(new SqliteTaskQueries(database));
        var node = keep(LocalNode.start(settings.node(), failpoints));
        log.info("cards are read by {}", node.probe());
        var engineParts =
                new Engine.Parts(
                        store, node, settings.planner(), settings.queueing(), failpoints, figures);
        InstantSource clock = Clock.tick(Clock.systemUTC(), Duration.of(1, ChronoUnit.MICROS));
        long highestTask = node.highestTask();
        var processes = new ProcessFile(config.lanes()::processJson, FileSwap::exchange);
        var loop =
                keep(
                        EngineLoop.start(
                                clock,
                                new ProcessFileReports(processes, clock),
                                facts -> {
                                    node.reportTo(facts);
                                    var now = clock.instant();
                                    var engine = Engine.recover(engineParts, highestTask, now);
                                    figures.begin(engine::state, now);
                                    return engine;
                                }));
        loop.recovered().join();
        var processBook = keep(ProcessBook.open(processes, loop, queries, CommandShell::of));

        var book =
                new RuleBook(
                        settings.layers(),
                        config,
                        settings::with,
                        other -> follow(loop, settings.with(other)));
        var about = about(node, loop, book);
        var audit = keep(AuditFile.open(home));
        var lanes = lanes(home.root(), () -> book.now().lanes(), new Runs(loop, queries));
        var remains = new Remains(loop, queries, processBook, node.strays());
        var messages =
                keep(Messages.start(settings.messages(), loop, queries, Messages.Means.usual()));
        var desk =
                new Desk(
                        loop,
                        queries,
                        node.logs(),
                        node.consumptions(),
                        lanes,
                        remains,
                        charts(home.history(), loop),
                        messages);
        var door = keep(new Door(settings.door(), desk, about, audit));
        door.open();
        url = door.url();
        socket = door.socket();
        lock.announce(url);
    }

    /** Without a history everything else goes on. */
    private Charts charts(Path file, EngineLoop loop) {
        if (!settings.config().storage().keepsHistory()) {
            return Charts.NONE;
        }
        try {
            var history = keep(SqliteHistory.open(file));
            return new Charts(history, keep(Sampler.start(history, loop))::fresh);
        } catch (StoreFailure failure) {
            log.warn(
                    "no history is kept: {}; to begin a new one, stop the server and move {} away",
                    failure.getMessage(),
                    file);
            return Charts.NONE;
        }
    }

    private About about(LocalNode node, EngineLoop loop, RuleBook book) {
        return new About(
                CliVersion.CURRENT,
                settings.home().root(),
                loop.now(),
                settings.cards().toString(),
                node.tracking(),
                settings.timeLimits(),
                book,
                figures);
    }

    /** By the rules that hold at each moment. */
    private static Lanes lanes(Path home, Supplier<Configuration.Lanes> rules, Runs runs) {
        return new Lanes(
                new CommandFiles(home, () -> rules.get().commandsPath()),
                new LogBindings(home),
                new LogPlaces(
                        home, () -> rules.get().logRoots(), () -> List.of(rules.get().workDir())),
                runs,
                new RunSettings(
                        home,
                        () -> rules.get().workDir(),
                        () -> rules.get().logDir(),
                        () -> rules.get().checkTime()));
    }

    /** From the next pass on everything goes by these. */
    private static void follow(EngineLoop loop, Settings now) {
        var retune = new Command.Retune(loop.now(), Owner.BERTH, now.rules(), now.tuning());
        var reply = loop.ask(retune).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        if (!(reply instanceof Reply.Noted)) {
            throw new IllegalStateException("the engine did not take the rules: " + reply);
        }
    }

    private static Failpoints failpoints() {
        var directory = System.getenv(FileFailpoints.VARIABLE);
        return directory == null ? Failpoints.NONE : new FileFailpoints(Path.of(directory));
    }

    private <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    /** Tasks run on: the next server takes them up. */
    @Override
    public void close() {
        if (!parts.isEmpty()) {
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
