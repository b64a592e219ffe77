package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.app.endtoend.CrashScenario.ArmTime;
import dev.berth.app.endtoend.CrashScenario.KillTarget;
import dev.berth.node.shim.NativeShim;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * kill -9 at every failpoint: no acknowledged task is lost, no task runs twice, no process is left.
 * All points are reached with the native shim, those of the shim itself with bash too. The last
 * server of each point uses the other shim than the attempt that it adopts.
 */
@Tag("slow")
@ExtendWith(ServerHarnessExtension.class)
@Execution(ExecutionMode.CONCURRENT)
final class FailpointSweepTest {

    private static final String NO_EXIT_CODE = "ended with no exit code";

    private static final List<KillTarget> SERVER_ALONE =
            List.of(KillTarget.SERVER, KillTarget.SERVER_TWICE);

    /** Of both shims. */
    private static final List<String> SHIM_POINTS =
            List.of(
                    "shim.before-go",
                    "shim.in-go",
                    "shim.after-go",
                    "shim.before-command",
                    "shim.after-command",
                    "shim.after-record",
                    "shim.after-rename");

    /** Without a server, only the shim itself makes its record durable. */
    private static final List<KillTarget> WITHOUT_SERVER =
            List.of(
                    KillTarget.SERVER,
                    KillTarget.SERVER_TWICE,
                    KillTarget.SERVER_AND_SHIM,
                    KillTarget.SERVER_WHILE_HELD);

    /** What the server does alone does not depend on the shim. */
    private static final Set<KillTarget> WITH_BASH =
            Set.of(KillTarget.SHIM, KillTarget.SERVER_AND_SHIM, KillTarget.SERVER_WHILE_HELD);

    /** Before this point the command has not run. */
    private static final Set<String> NOT_RUN_AT =
            Set.of("shim.before-go", "shim.in-go", "shim.after-go", "shim.before-command");

    record Case(String point, ArmTime stage, KillTarget strike) {
        @Override
        public String toString() {
            return point + " at " + stage + ", killed: " + strike;
        }
    }

    static Stream<Case> cases() {
        var commits =
                Stream.of("engine.before-commit", "engine.after-commit")
                        .flatMap(
                                point ->
                                        each(
                                                point,
                                                SERVER_ALONE,
                                                ArmTime.SUBMIT,
                                                ArmTime.START,
                                                ArmTime.END,
                                                ArmTime.CANCEL));
        var recovery =
                Stream.of("recovery.before-commit", "recovery.before-adopt")
                        .flatMap(
                                point ->
                                        each(
                                                point,
                                                SERVER_ALONE,
                                                ArmTime.RECOVERY,
                                                ArmTime.RECOVERY_UNSTARTED));
        var tombstones =
                Stream.of("node.before-tombstone", "node.after-tombstone")
                        .flatMap(point -> each(point, SERVER_ALONE, ArmTime.RECOVERY_UNSTARTED));
        var launches =
                Stream.of("node.before-directory", "node.after-directory", "node.after-spawn")
                        .flatMap(point -> each(point, SERVER_ALONE, ArmTime.SUBMIT));
        var shims =
                SHIM_POINTS.stream()
                        .flatMap(
                                point -> each(point, List.of(KillTarget.values()), ArmTime.SUBMIT));
        return Stream.of(
                        commits,
                        recovery,
                        tombstones,
                        launches,
                        each("node.before-term", SERVER_ALONE, ArmTime.CANCEL),
                        each("node.before-report", SERVER_ALONE, ArmTime.SUBMIT, ArmTime.END),
                        shims,
                        each("shim.before-sync", WITHOUT_SERVER, ArmTime.END_WITHOUT_SERVER))
                .flatMap(all -> all);
    }

    private static Stream<Case> each(String point, List<KillTarget> strikes, ArmTime... stages) {
        return Stream.of(stages)
                .flatMap(stage -> strikes.stream().map(strike -> new Case(point, stage, strike)));
    }

    /** Most of the time goes into starting servers, so the cases of a point share a home. */
    static Stream<Arguments> points() {
        return Stream.concat(
                cases().map(Case::point).distinct().map(point -> Arguments.of(point, "native")),
                SHIM_POINTS.stream().map(point -> Arguments.of(point, "bash")));
    }

    /** The one whose last server uses the other shim comes last. */
    private static List<Case> casesOf(String point, String shim) {
        return cases().filter(one -> one.point().equals(point))
                .filter(one -> shim.equals("native") || WITH_BASH.contains(one.strike()))
                .sorted(Comparator.comparing(FailpointSweepTest::changesShim))
                .toList();
    }

    private static boolean changesShim(Case one) {
        return one.strike() == KillTarget.SERVER_WHILE_HELD;
    }

    @ParameterizedTest
    @MethodSource("points")
    void nothingIsLostDoubledOrLeftByAKill(String point, String shim, ServerHarness harness) {
        assumeTrue(NativeShim.problem().isEmpty(), "the native shim works here");
        harness.env("BERTH_SHIM", shim);
        CrashScenario.start(harness);
        int number = 0;
        for (var one : casesOf(point, shim)) {
            number++;
            if (changesShim(one)) {
                harness.env("BERTH_SHIM", shim.equals("native") ? "bash" : "native");
            }
            try {
                kill(one, new CrashScenario(harness, point, number));
            } catch (AssertionError failed) {
                throw new AssertionError(one + ": " + failed.getMessage(), failed);
            }
        }
    }

    private static void kill(Case one, CrashScenario scene) {
        scene.advanceTo(one.stage());

        var api = scene.kill(one.strike());
        if (!isCancelKept(one)) {
            scene.openGate();
        }

        // Checked before the repetition: a lost task would get the same id again.
        assertThat(ids(api, scene)).containsAll(scene.acknowledged().stream().toList());
        long again = scene.submit();
        assertThat(again).isEqualTo(scene.acknowledged().orElse(again));
        assertThat(ids(api, scene)).hasSize(one.stage() == ArmTime.RECOVERY ? 2 : 1);
        for (long id : ids(api, scene)) {
            judge(one, api.awaitEnd(id), scene);
        }
        assertThat(api.holders()).isEmpty();
        assertThat(scene.leftovers()).isEmpty();
        var next = api.awaitEnd(api.submit(TaskBuilder.oneGpu("true")));
        assertThat(next.path("status").asString()).isEqualTo("completed");
    }

    private static List<Long> ids(TestApi api, CrashScenario scene) {
        var names = Set.of(scene.first(), scene.second());
        return api.tasks().stream()
                .filter(task -> names.contains(task.path("name").asString()))
                .map(task -> task.path("id").asLong())
                .toList();
    }

    private static void judge(Case one, JsonNode task, CrashScenario scene) {
        var name = task.path("name").asString();
        long runs = scene.runs(name);
        var status = task.path("status").asString();
        var allowed = name.equals(scene.first()) ? allowed(one) : Set.of("completed");
        assertThat(allowed).as("what %s may come to: %s", name, task).contains(status);
        assertThat(runs).as("runs of %s: %s", name, task).isBetween(0L, 1L);
        switch (status) {
            case "completed" -> assertThat(runs).isOne();
            case "failed" -> {
                var error = task.path("error").asString();
                if (one.point().equals("shim.before-go")) {
                    assertThat(error).isNotBlank();
                } else {
                    assertThat(error).isEqualTo(NO_EXIT_CODE);
                }
                // A held shim is released while the server gives it up: either may be first.
                if (one.strike() != KillTarget.SERVER_WHILE_HELD) {
                    assertThat(runs).isEqualTo(NOT_RUN_AT.contains(one.point()) ? 0 : 1);
                }
            }
            default -> assertThat(status).isEqualTo("cancelled");
        }
    }

    /** A cancel that was not committed was not acknowledged either: then the task may continue. */
    private static boolean isCancelKept(Case one) {
        return one.stage() == ArmTime.CANCEL && !one.point().equals("engine.before-commit");
    }

    /** The allowed outcomes. Failing is allowed only if the shim was killed or blocked too long. */
    private static Set<String> allowed(Case one) {
        if (one.stage() == ArmTime.CANCEL) {
            return isCancelKept(one) ? Set.of("cancelled") : Set.of("cancelled", "completed");
        }
        return switch (one.strike()) {
            case SERVER, SERVER_TWICE -> Set.of("completed");
            // A shim that is blocked with an empty go file for a second counts as gone.
            case SERVER_WHILE_HELD ->
                    one.point().equals("shim.in-go")
                            ? Set.of("completed", "failed")
                            : Set.of("completed");
            case SHIM, SERVER_AND_SHIM -> afterTheShimsDeath(one.point());
        };
    }

    private static Set<String> afterTheShimsDeath(String point) {
        return switch (point) {
            // The command has not started: both failing with a reason and starting again are
            // correct.
            case "shim.before-go" -> Set.of("completed", "failed");
            // The record is written but not yet renamed: recovery may find it.
            case "shim.after-record" -> Set.of("completed", "failed");
            case "shim.after-rename", "shim.before-sync" -> Set.of("completed");
            default -> Set.of("failed");
        };
    }
}
