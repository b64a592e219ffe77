package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * One task on a home with one GPU, run up to the failpoint at which a process is killed. Its
 * command records that it runs and then waits for its gate. The server that is left serves the next
 * scenario.
 */
final class CrashScenario {

    /** When the failpoint is armed; it is the next one reached from there. */
    enum ArmTime {
        /** Before the submit. */
        SUBMIT,
        /** When the shim exists and has not read {@code go}. */
        START,
        /** When the command runs and is about to end. */
        END,
        /** When the command runs and its server is about to be killed: it ends without one. */
        END_WITHOUT_SERVER,
        /** When the command runs and is about to be cancelled. */
        CANCEL,
        /** Before a restart that finds one task running and one waiting. */
        RECOVERY,
        /** Before a restart that finds a started attempt without a shim. */
        RECOVERY_UNSTARTED
    }

    /** The process that is killed at the failpoint. */
    enum KillTarget {
        SERVER,
        /** The new server starts while the shim is still blocked. */
        SERVER_WHILE_HELD,
        /** Also kills the next server, during its recovery. */
        SERVER_TWICE,
        SHIM,
        SERVER_AND_SHIM
    }

    private final ServerHarness harness;
    private final Failpoint point;
    private final int number;
    private CompletableFuture<Long> submitted = new CompletableFuture<>();
    private long standing;

    /**
     * @param harness with a running server
     * @param number of the scenario on this home
     */
    CrashScenario(ServerHarness harness, String point, int number) {
        this.harness = harness;
        this.point = harness.failpoint(point);
        this.number = number;
    }

    static void start(ServerHarness harness) {
        harness.simulatedGpus(1).env("BERTH_STOP_GRACE_SECONDS", "1").start();
    }

    /** Advances to the failpoint and waits until a process is blocked there. */
    void advanceTo(ArmTime stage) {
        switch (stage) {
            case SUBMIT -> {
                openGate();
                point.arm();
                submitAside();
            }
            case START -> {
                openGate();
                var shim = harness.failpoint("shim.before-go").arm();
                submitAside();
                shim.awaitHit();
                point.arm();
                shim.release();
            }
            case END -> {
                run();
                point.arm();
                openGate();
            }
            case END_WITHOUT_SERVER -> {
                run();
                point.arm();
                harness.kill();
                openGate();
            }
            case CANCEL -> {
                long id = run();
                point.arm();
                aside(() -> harness.api().cancel(id));
            }
            case RECOVERY -> {
                run();
                harness.api().submit(order(second()));
                harness.kill();
                point.arm();
                harness.launch();
            }
            case RECOVERY_UNSTARTED -> {
                openGate();
                var launch = harness.failpoint("node.after-directory").arm();
                submitAside();
                launch.awaitHit();
                harness.kill();
                launch.release();
                point.arm();
                harness.launch();
            }
        }
        standing = point.awaitHit();
        // Gives all other processes time to proceed as far as they can.
        if (harness.server().endsWithin(Duration.ofMillis(100))
                && stage != ArmTime.END_WITHOUT_SERVER) {
            throw new AssertionError("the server ended by itself");
        }
    }

    /** Kills, and returns with a running server. */
    TestApi kill(KillTarget strike) {
        switch (strike) {
            case SERVER -> {
                harness.kill();
                point.release();
                harness.start();
            }
            case SERVER_WHILE_HELD -> {
                harness.restart();
                point.release();
            }
            case SERVER_TWICE -> {
                harness.kill();
                point.release();
                var recovery = harness.failpoint("recovery.before-commit").arm();
                harness.launch();
                recovery.awaitHit();
                harness.kill();
                recovery.release();
                harness.start();
            }
            case SHIM -> {
                killShim();
                point.release();
            }
            case SERVER_AND_SHIM -> {
                harness.kill();
                killShim();
                point.release();
                harness.start();
            }
        }
        return harness.api();
    }

    private void killShim() {
        ProcessHandle.of(standing).orElseThrow().destroyForcibly();
        eventually("the shim is gone", () -> !LeftoverProcesses.isAlive(standing));
    }

    /** The task's id, if its submit was acknowledged. */
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

    String first() {
        return "first-" + number;
    }

    String second() {
        return "second-" + number;
    }

    /** How often the command of a task has run. */
    long runs(String task) {
        var file = harness.file("runs");
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

    void openGate() {
        TaskLifecycleTest.touch(gate());
    }

    private Path gate() {
        return harness.file("gate-" + number);
    }

    private long run() {
        submitAside();
        long id = submitted.join();
        eventually("the command runs", () -> runs(first()) == 1);
        harness.api().awaitPhase(id, "running");
        return id;
    }

    private void submitAside() {
        submitted = CompletableFuture.supplyAsync(this::submit, Thread::startVirtualThread);
    }

    /**
     * A client without a reply repeats its request with the same key: that must never create a
     * second task.
     */
    long submit() {
        return harness.api().submit(order(first()).key(first()));
    }

    private static void aside(Runnable call) {
        Thread.startVirtualThread(
                () -> {
                    try {
                        call.run();
                    } catch (UncheckedIOException _) {
                        // The server was killed before it replied; the test checks later what it
                        // had stored.
                    }
                });
    }

    private TaskBuilder order(String name) {
        return TaskBuilder.oneGpu(
                        "echo \"%s $BERTH_ATTEMPT\" >> %s\nuntil [[ -e %s ]]; do sleep 0.02; done"
                                .formatted(name, harness.file("runs"), gate()))
                .named(name);
    }

    List<LeftoverProcesses.LeftoverProcess> leftovers() {
        return harness.leftovers();
    }
}
