package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * Passing faults of the machine, each real: acknowledged tasks wait, none fails, one alert says so,
 * and all of them run when the fault is over.
 */
@ExtendWith(ServerHarnessExtension.class)
final class MachineFaultTest {

    private static final String FEW_INODES =
            "mount -t tmpfs -o size=64m,nr_inodes=1500,mode=700 tmpfs \"$0\" && exec \"$@\"";

    private static final List<String> PAUSES = List.of("alert.starts_paused", "alert.disk_low");
    private static final List<String> RESUMES =
            List.of("alert.starts_resumed", "alert.disk_recovered");

    private static final String NO_PROCESS = "no process could be created for the command";
    private static final Duration RESUMED_WITHIN = Duration.ofMinutes(2);

    /** A user whose processes are only those of this test. */
    private final int uid = 50_000 + ThreadLocalRandom.current().nextInt(10_000);

    @Test
    void fullInodes(ServerHarness harness) throws Exception {
        assumeTrue(run("unshare", "-Urm", "true") == 0, "nobody may mount a small disk here");
        Files.createDirectories(harness.tasks());
        var api =
                harness.wrapper(
                                "unshare",
                                "-Urm",
                                "bash",
                                "-c",
                                FEW_INODES,
                                harness.tasks().toString())
                        .start();
        var disk = Path.of("/proc/" + harness.server().pid() + "/root" + harness.tasks());
        waitThroughFault(
                api,
                40,
                () -> {
                    try {
                        while (true) {
                            Files.createTempFile(disk, "filler", "");
                        }
                    } catch (IOException full) {
                        assertThat(full).hasMessageContaining("No space left on device");
                    }
                },
                () -> {
                    try (var files = Files.list(disk)) {
                        for (var file : files.filter(MachineFaultTest::isFiller).toList()) {
                            Files.delete(file);
                        }
                    }
                });
    }

    @Test
    void unwritableTasksDirectory(ServerHarness harness) throws Exception {
        var api = asOtherUser(harness).start();
        waitThroughFault(
                api,
                20,
                () -> permit(harness.tasks(), "r-x------"),
                () -> permit(harness.tasks(), "rwx------"));
    }

    @Test
    void missingInitScript(ServerHarness harness) throws Exception {
        var script = harness.file("conda.sh");
        Files.writeString(script, "true\n");
        var api = harness.configure("conda_init_script: " + script + "\n").start();
        waitThroughFault(
                api,
                10,
                () -> Files.deleteIfExists(script),
                () -> Files.writeString(script, "true\n"));
    }

    @Test
    void everyTaskSaysWhyNoStartIsExpected(ServerHarness harness) throws Exception {
        var script = harness.file("conda.sh");
        Files.writeString(script, "true\n");
        var api = harness.configure("conda_init_script: " + script + "\n").start();
        Files.delete(script);
        var ids = new ArrayList<Long>();
        for (int i = 0; i < 10; i++) {
            ids.add(api.submit(TaskBuilder.cpu("true")));
        }
        for (long id : ids) {
            // The one that tries again is queued most of the time, and has no reason while it runs.
            eventually("why no start of " + id + " is expected", () -> isStartPaused(api, id));
        }
    }

    @Test
    void processLimit(ServerHarness harness) throws Exception {
        var api = asOtherUser(harness).start();
        long running = api.submit(TaskBuilder.cpu("sleep 1000"));
        api.awaitPhase(running, "running");
        // Without a process of its own, and longer than the submits take: a shim that has ended its
        // task would start the next one.
        var pipe = harness.file("pipe");
        assertThat(new ProcessBuilder("mkfifo", "-m", "666", pipe.toString()).start().waitFor())
                .isZero();
        waitThroughFault(
                api,
                "read -t 5 <> " + pipe + " || true",
                60,
                () -> limitProcesses(harness, 1),
                () -> {
                    assertThat(api.cancel(running).status()).isEqualTo(200);
                    assertThat(api.awaitEnd(running).path("status").asString())
                            .as("a cancel needs no new process or thread")
                            .isEqualTo("cancelled");
                    limitProcesses(harness, 4000);
                });
    }

    @Test
    @Tag("slow")
    void processLimitBetweenTheShimAndItsCommand(ServerHarness harness) throws Exception {
        // The native shim starts shells ahead, which need no process any more.
        var api = asOtherUser(harness).env("BERTH_SHIM", "bash").start();
        waitThroughFault(
                api,
                40,
                () -> limitToOneMoreProcess(harness),
                () -> {
                    eventually(
                            RESUMED_WITHIN,
                            "a shim gave up",
                            () -> {
                                limitToOneMoreProcess(harness);
                                return api.events("attempt.ended").stream()
                                        .anyMatch(one -> one.toString().contains(NO_PROCESS));
                            });
                    limitProcesses(harness, 4000);
                });
    }

    /** Room for the shim, not for its command. The server's threads count as processes, too. */
    private void limitToOneMoreProcess(ServerHarness harness) throws Exception {
        limitProcesses(harness, threads(harness) + 1);
    }

    private static int threads(ServerHarness harness) throws IOException {
        try (var threads = Files.list(Path.of("/proc/" + harness.server().pid() + "/task"))) {
            return (int) threads.count();
        }
    }

    @Test
    void oneTaskDirectoryThatCannotBeUsedStopsNoOtherTask(ServerHarness harness) throws Exception {
        var api = asOtherUser(harness).start();
        long first = api.submit(TaskBuilder.cpu("true"));
        assertThat(api.awaitEnd(first).path("status").asString()).isEqualTo("completed");
        // A file where the directory of the next task should be.
        var obstacle = harness.tasks().resolve("task_" + (first + 1));
        Files.createFile(obstacle);
        long bad = api.submit(TaskBuilder.cpu("true"));
        eventually("starts pause", () -> !api.events("alert.starts_paused").isEmpty());
        for (int i = 0; i < 10; i++) {
            long good = api.submit(TaskBuilder.cpu("true"));
            assertThat(api.awaitEnd(good).path("status").asString()).isEqualTo("completed");
        }
        eventually(
                RESUMED_WITHIN,
                "its own reason is shown",
                () -> api.waitReasonCodes(bad).contains("start.failed"));
        Files.delete(obstacle);
        eventually(RESUMED_WITHIN, "it runs", () -> api.status(bad).equals("completed"));
        assertThat(api.events("alert.starts_paused")).hasSize(1);
    }

    private interface Step {
        void run() throws Exception;
    }

    private void waitThroughFault(TestApi api, int count, Step fault, Step mend) throws Exception {
        waitThroughFault(api, "true", count, fault, mend);
    }

    private void waitThroughFault(TestApi api, String command, int count, Step fault, Step mend)
            throws Exception {
        var ids = new ArrayList<Long>();
        for (int i = 0; i < count; i++) {
            // Again before each task: a limit that counts the server's threads changes with them.
            fault.run();
            ids.add(api.submit(TaskBuilder.cpu(command)));
        }
        eventually("the alert is raised", () -> events(api, PAUSES) == 1);
        long last = ids.getLast();
        eventually(
                "the reason is shown",
                () -> api.waitReasonCodes(last).stream().anyMatch(one -> one.startsWith("paused")));
        assertThat(api.client().get("/api/health").status()).isEqualTo(503);

        mend.run();

        for (long id : ids) {
            eventually(RESUMED_WITHIN, "task " + id, () -> api.status(id).equals("completed"));
            assertThat(api.task(id).path("retries").asInt()).isZero();
        }
        assertThat(api.events("task.failed")).isEmpty();
        assertThat(events(api, PAUSES)).isEqualTo(1);
        eventually("the end is recorded", () -> events(api, RESUMES) == 1);
        eventually("healthy", () -> api.client().get("/api/health").status() == 200);
    }

    private static boolean isStartPaused(TestApi api, long id) {
        var reason = api.task(id).path("eta_reason");
        return reason.path("code").asString("").equals("eta.paused")
                && reason.path("params").has("cause");
    }

    private static int events(TestApi api, List<String> kinds) {
        return kinds.stream().mapToInt(kind -> api.events(kind).size()).sum();
    }

    /** Root may write everywhere and has no process limit. */
    private ServerHarness asOtherUser(ServerHarness harness) throws Exception {
        assumeTrue(run("setpriv", "--reuid", "1", "true") == 0, "only root can change its uid");
        var root = harness.home().getParent();
        Files.createDirectories(harness.tasks());
        assertThat(run("chown", "-R", uid + ":" + uid, root.toString())).isZero();
        return harness.wrapper(asUser().toArray(String[]::new));
    }

    private List<String> asUser() {
        var id = Integer.toString(uid);
        return List.of("setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--");
    }

    /** As the server's user: root may lack the right to change the limits of others. */
    private void limitProcesses(ServerHarness harness, int limit) throws Exception {
        var pid = Long.toString(harness.server().pid());
        var command =
                Stream.concat(
                        asUser().stream(),
                        Stream.of("prlimit", "--pid", pid, "--nproc=" + limit + ":"));
        assertThat(run(command.toArray(String[]::new))).isZero();
    }

    private static void permit(Path directory, String mode) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
    }

    private static boolean isFiller(Path file) {
        return file.getFileName().toString().startsWith("filler");
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(Stream.of(command).toList()).inheritIO().start().waitFor();
    }
}
