package dev.berth.app.live;

import static dev.berth.testkit.Eventually.eventually;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * One task on a home with one card, brought to the failpoint where something is to be killed. Its
 * command notes that it runs and then waits for its gate.
 */
final class Scene {

    /** Where in a task's life the point is armed: it is the next one passed from there. */
    enum Stage {
        /** Before the submit. */
        SUBMIT,
        /** When the shim is there and has not taken {@code go}. */
        START,
        /** When the command runs and is about to end. */
        END,
        /** When the command runs and is about to be cancelled. */
        CANCEL,
        /** Before a restart that finds one task running and one waiting. */
        RECOVERY,
        /** Before a restart that finds an attempt granted, and no shim. */
        RECOVERY_UNSTARTED
    }

    /** What is killed at the point. */
    enum Strike {
        SERVER,
        /** The new server comes while the shim still stands there. */
        SERVER_WHILE_HELD,
        /** The next server as well, in its recovery. */
        SERVER_TWICE,
        SHIM,
        SERVER_AND_SHIM
    }

    private final World world;
    private final Failpoint point;
    private CompletableFuture<Long> submitted = new CompletableFuture<>();
    private long standing;

    Scene(World world, String point) {
        this.world = world.cards(1).env("BERTH_STOP_GRACE_SECONDS", "1");
        this.point = world.failpoint(point);
    }

    /** Goes as far as the point, where somebody then stands still. */
    void bring(Stage stage) {
        world.start();
        switch (stage) {
            case SUBMIT -> {
                open();
                point.arm();
                submitAside();
            }
            case START -> {
                open();
                var shim = world.failpoint("shim.before-go").arm();
                submitAside();
                shim.awaitHit();
                point.arm();
                shim.release();
            }
            case END -> {
                run();
                point.arm();
                open();
            }
            case CANCEL -> {
                long id = run();
                point.arm();
                aside(() -> world.api().cancel(id));
            }
            case RECOVERY -> {
                run();
                world.api().submit(order("second"));
                world.kill();
                point.arm();
                world.launch();
            }
            case RECOVERY_UNSTARTED -> {
                open();
                var launch = world.failpoint("node.after-directory").arm();
                submitAside();
                launch.awaitHit();
                world.kill();
                launch.release();
                point.arm();
                world.launch();
            }
        }
        standing = point.awaitHit();
        // Time for all that does not stand still to go as far as it can.
        if (world.server().endsWithin(Duration.ofMillis(100))) {
            throw new AssertionError("the server ended by itself");
        }
    }

    /** Kills, and leaves a server that serves. */
    Api strike(Strike strike) {
        switch (strike) {
            case SERVER -> {
                world.kill();
                point.release();
                world.start();
            }
            case SERVER_WHILE_HELD -> {
                world.restart();
                point.release();
            }
            case SERVER_TWICE -> {
                world.kill();
                point.release();
                var recovery = world.failpoint("recovery.before-commit").arm();
                world.launch();
                recovery.awaitHit();
                world.kill();
                recovery.release();
                world.start();
            }
            case SHIM -> {
                killShim();
                point.release();
            }
            case SERVER_AND_SHIM -> {
                world.kill();
                killShim();
                point.release();
                world.start();
            }
        }
        return world.api();
    }

    private void killShim() {
        ProcessHandle.of(standing).orElseThrow().destroyForcibly();
        eventually("the shim is gone", () -> !Strays.isAlive(standing));
    }

    /** The task's id, where its submit was acknowledged. */
    Optional<Long> acknowledged() {
        try {
            return Optional.of(submitted.join());
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** How often the command of a task has run. */
    long runs(String task) {
        var file = world.file("runs");
        try {
            return Files.exists(file)
                    ? Files.readAllLines(file).stream()
                            .filter(line -> line.startsWith(task + " "))
                            .count()
                    : 0;
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + file, e);
        }
    }

    void open() {
        PipelineTest.touch(world.file("gate"));
    }

    private long run() {
        submitAside();
        long id = submitted.join();
        eventually("the command runs", () -> runs("first") == 1);
        world.api().awaitPhase(id, "running");
        return id;
    }

    private void submitAside() {
        submitted = CompletableFuture.supplyAsync(this::submit, Thread::startVirtualThread);
    }

    /** Whoever got no answer asks again, with the same key: that must never make a second task. */
    long submit() {
        return world.api().submit(order("first").key("first"));
    }

    private static void aside(Runnable call) {
        Thread.startVirtualThread(
                () -> {
                    try {
                        call.run();
                    } catch (UncheckedIOException _) {
                        // The server was killed before it could answer; what it had kept is seen
                        // afterwards.
                    }
                });
    }

    private Order order(String name) {
        return Order.card(
                        "echo \"%s $BERTH_ATTEMPT\" >> %s\nuntil [[ -e %s ]]; do sleep 0.02; done"
                                .formatted(name, world.file("runs"), world.file("gate")))
                .named(name);
    }

    List<Strays.Stray> strays() {
        return world.strays();
    }
}
