package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Full disks. Each server runs on a small disk of its own in a private mount namespace. */
@ExtendWith(ServerHarnessExtension.class)
final class DiskFullTest {

    private static final String SMALL_DISK =
            "mount -t tmpfs -o size=64m,mode=700 tmpfs \"$0\" && exec \"$@\"";

    /** Prints to its own log and to that of its task. Its result is its process id. */
    private static final String TALKING_WORKER =
            """
            echo '{"type":"ready"}'
            while IFS= read -r line; do
                case $line in
                    '{"type":"run"'*)
                        task=${line#*'"task":'} task=${task%%[,\\}]*}
                        echo > "$1/worker.begun"
                        until [[ -e $1/worker.gate ]]; do sleep 0.02; done
                        head -c 1000000 /dev/zero >&2
                        for ((i = 0; i < 300; i++)); do
                            printf '{"type":"log","task":%d,"line":"%01000d"}\\n' "$task" 0
                        done
                        echo "{\\"type\\":\\"result\\",\\"task\\":$task,\\"value\\":$$}" ;;
                    '{"type":"ping"'*) echo '{"type":"pong"}' ;;
                esac
            done
            """;

    @BeforeAll
    static void needsMountsOfItsOwn() throws Exception {
        int status =
                new ProcessBuilder("unshare", "-Urm", "true")
                        .redirectErrorStream(true)
                        .start()
                        .waitFor();
        assumeTrue(status == 0, "this machine lets nobody mount a small disk (unshare -Urm fails)");
    }

    @Test
    void whenTheDiskOfTheLogsIsFullExitCodesLandStartsPauseAndOneAlertIsRaised(
            ServerHarness harness) throws IOException {
        var api = onSmallDisk(harness, harness.tasks());
        long ending = api.submit(TaskBuilder.cpu(talking(harness, "ending")));
        long lasting = api.submit(TaskBuilder.cpu(talking(harness, "lasting")));
        awaitFiles(harness, "ending.begun", "lasting.begun");

        fill(harness, harness.tasks());
        eventually("the alert is raised", () -> !api.events("alert.disk_low").isEmpty());
        long waiting = api.submit(TaskBuilder.cpu("echo late"));
        TaskLifecycleTest.touch(harness.file("ending.gate"));
        TaskLifecycleTest.touch(harness.file("lasting.gate"));

        var task = api.awaitEnd(ending);
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("exit_code").asInt()).isEqualTo(7);
        awaitFiles(harness, "lasting.talked");
        assertThat(api.status(lasting)).isEqualTo("running");
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.task(waiting).path("wait_reasons").toString()).containsIgnoringCase("disk");
        assertThat(api.client().get("/api/health").json().path("status").asString())
                .isNotEqualTo("ok");

        Files.delete(filler(harness, harness.tasks()));
        TaskLifecycleTest.touch(harness.file("lasting.last"));

        assertThat(api.awaitEnd(lasting).path("status").asString()).isEqualTo("completed");
        assertThat(TaskLifecycleTest.between(api.log(lasting, 100)))
                .contains("before")
                .endsWith("after");
        assertThat(api.awaitEnd(waiting).path("status").asString()).isEqualTo("completed");
        assertThat(api.events("alert.disk_low")).hasSize(1);
        assertThat(api.events("alert.disk_recovered")).hasSize(1);
        assertThat(api.client().get("/api/health").json().path("status").asString())
                .isEqualTo("ok");
    }

    @Test
    void aTaskThatFillsTheDiskItselfGoesOnWhenItsLogWasTrimmed(ServerHarness harness) {
        var api = onSmallDisk(harness, harness.tasks());
        long id =
                api.submit(
                        TaskBuilder.cpu(
                                """
                                seq 100000000
                                echo > %s
                                until echo later; do sleep 0.05; done
                                exit 4
                                """
                                        .formatted(harness.file("full"))));
        awaitFiles(harness, "full");

        assertThat(api.awaitEnd(id).path("exit_code").asInt()).isEqualTo(4);
        assertThat(api.log(id, 1000)).anyMatch(line -> line.endsWith("later"));
        var middle = api.client().get("/api/tasks/" + id + "/logs?from=4000000").expect(200);
        assertThat(middle.path("lines").path(0).asString()).contains("dropped");
        assertThat(api.events("alert.disk_low")).hasSize(1);
        long next = api.submit(TaskBuilder.cpu("echo room"));
        assertThat(api.awaitEnd(next).path("status").asString()).isEqualTo("completed");
        assertThat(TaskLifecycleTest.between(api.log(next, 100))).containsExactly("room");
    }

    @Test
    void aWorkerAndItsTaskGoOnWhenTheDiskOfTheirLogsIsFull(ServerHarness harness)
            throws IOException {
        var worker = Files.writeString(harness.file("worker"), TALKING_WORKER);
        var models = "models: {talking: {worker: \"bash %s %s\", memory_mb: 1000}}\n";
        harness.simulatedGpus(1).configure(models.formatted(worker, harness.file("")));
        var api = onSmallDisk(harness, harness.tasks());
        long running = call(api);
        awaitFiles(harness, "worker.begun");

        fill(harness, harness.tasks());
        eventually("the alert is raised", () -> !api.events("alert.disk_low").isEmpty());
        long waiting = call(api);
        TaskLifecycleTest.touch(harness.file("worker.gate"));

        var ended = api.awaitEnd(running);
        assertThat(ended.path("status").asString()).isEqualTo("completed");
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.task(waiting).path("wait_reasons").toString()).containsIgnoringCase("disk");

        Files.delete(filler(harness, harness.tasks()));

        var next = api.awaitEnd(waiting);
        assertThat(next.path("status").asString()).isEqualTo("completed");
        assertThat(next.path("result")).as("the same worker").isEqualTo(ended.path("result"));
        assertThat(api.events("alert.disk_low")).hasSize(1);
    }

    private static long call(TestApi api) {
        var body = "{\"name\": \"call\", \"model_name\": \"talking\"}";
        return api.client().post("/api/tasks", body).expect(201).path("id").asLong();
    }

    @Test
    void whenTheDiskOfTheDatabaseIsFullNothingIsAcknowledgedAndAllResumesByItself(
            ServerHarness harness) throws IOException {
        var runtime = harness.home().resolve("runtime");
        var api = onSmallDisk(harness, runtime);
        long running = api.submit(TaskBuilder.cpu(talking(harness, "running")));
        awaitFiles(harness, "running.begun");
        api.awaitPhase(running, "running");

        fill(harness, runtime);
        // Long, so that it does not fit into the space that the database has already allocated.
        var order = TaskBuilder.cpu("true # " + "x".repeat(500_000));
        var refused = api.client().post("/api/tasks", order.body());
        assertThat(refused.status()).as("%s", refused).isIn(503, 507);
        assertThat(refused.json().path("detail").asString()).isNotBlank();
        assertThat(api.tasks()).hasSize(1);
        TaskLifecycleTest.touch(harness.file("running.gate"));
        TaskLifecycleTest.touch(harness.file("running.last"));
        awaitFiles(harness, "running.over");

        Files.delete(filler(harness, runtime));

        assertThat(api.awaitEnd(running).path("status").asString()).isEqualTo("completed");
        assertThat(api.tasks()).hasSize(1);
        long next = api.submit(order);
        assertThat(api.awaitEnd(next).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void aCancelEndsItsTaskAlsoWhileNothingCanBeStored(ServerHarness harness) throws IOException {
        var runtime = harness.home().resolve("runtime");
        var api = onSmallDisk(harness, runtime);
        var pidFile = harness.file("pid");
        long task = api.submit(TaskBuilder.cpu("echo $$ > " + pidFile + "\nexec sleep 600"));
        api.awaitPhase(task, "running");
        eventually("its pid", () -> Files.exists(pidFile) && Files.size(pidFile) > 0);
        long pid = Long.parseLong(Files.readString(pidFile).strip());

        fill(harness, runtime);
        var cancelled = api.client().post("/api/tasks/" + task + "/cancel", "{}");

        assertThat(cancelled.status()).as("%s", cancelled).isIn(200, 202);
        eventually("its process has ended", () -> ProcessHandle.of(pid).isEmpty());
        Files.delete(filler(harness, runtime));
        assertThat(api.awaitEnd(task).path("status").asString()).isEqualTo("cancelled");
    }

    private static TestApi onSmallDisk(ServerHarness harness, Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("making " + directory, e);
        }
        return harness.wrapper("unshare", "-Urm", "bash", "-c", SMALL_DISK, directory.toString())
                .start();
    }

    /**
     * Prints before and after its gate, and once more before its end; records its progress outside
     * the disk.
     */
    private static String talking(ServerHarness harness, String name) {
        var file = harness.file(name);
        return """
        echo before
        echo > NAME.begun
        until [[ -e NAME.gate ]]; do sleep 0.02; done
        head -c 1000000 /dev/zero | tr '\\0' x
        echo > NAME.talked
        [[ NAME == */ending ]] && exit 7
        until [[ -e NAME.last ]]; do sleep 0.02; done
        echo; echo after
        echo > NAME.over
        """
                .replace("NAME", file.toString());
    }

    private static void awaitFiles(ServerHarness harness, String... names) {
        for (var name : names) {
            eventually(name, () -> Files.exists(harness.file(name)));
        }
    }

    /** Fills the small disk. */
    private static void fill(ServerHarness harness, Path directory) throws IOException {
        try (var out = Files.newOutputStream(filler(harness, directory))) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left on device");
        }
    }

    /**
     * Only the server's mount namespace contains the small disk; other processes reach it through
     * /proc/PID/root.
     */
    private static Path filler(ServerHarness harness, Path directory) {
        return Path.of("/proc/" + harness.server().pid() + "/root" + directory + "/filler");
    }
}
