package dev.berth.app;

import dev.berth.cli.call.CliVersion;
import dev.berth.engine.Engine;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.StoreFailure;
import dev.berth.node.LocalNode;
import dev.berth.server.Door;
import dev.berth.server.DoorBlocked;
import dev.berth.server.api.About;
import dev.berth.server.api.Desk;
import dev.berth.store.Database;
import dev.berth.store.HomeLock;
import dev.berth.store.HomeRefused;
import dev.berth.store.LocalFileSystem;
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
import java.util.concurrent.CountDownLatch;

/** A server with all its parts, from the lock on its home to its open door. */
final class Serving implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Serving.class);

    private final Settings settings;
    private final CountDownLatch stopped = new CountDownLatch(1);

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
        LocalFileSystem.require(home.root());
        var lock = keep(HomeLock.take(home.root()));
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
                new Engine.Parts(store, node, settings.planner(), settings.queueing(), failpoints);
        InstantSource clock = Clock.tick(Clock.systemUTC(), Duration.of(1, ChronoUnit.MICROS));
        long highestTask = node.highestTask();
        var loop =
                keep(
                        EngineLoop.start(
                                clock,
                                facts -> {
                                    node.reportTo(facts);
                                    return Engine.recover(
                                            engineParts, highestTask, clock.instant());
                                }));
        loop.recovered().join();

        var about =
                new About(
                        CliVersion.CURRENT,
                        home.root(),
                        loop.now(),
                        settings.cards().toString(),
                        node.tracking(),
                        settings.timeLimits(),
                        config.entries());
        var audit = keep(AuditFile.open(home.logs()));
        var desk = new Desk(loop, queries, node.logs());
        var door = keep(new Door(settings.door(), desk, about, audit));
        door.open();
        url = door.url();
        socket = door.socket();
        lock.announce(url);
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
