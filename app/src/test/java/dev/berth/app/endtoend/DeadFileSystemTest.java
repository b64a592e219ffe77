package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A file system that never answers, as a network file system whose server is down: every look at
 * one of its paths blocks the thread that looks.
 */
@ExtendWith(ServerHarnessExtension.class)
final class DeadFileSystemTest {

    /** The kernel waits for the program behind the descriptor, which nobody is. */
    private static final String DEAD_MOUNT =
            "exec 9<>/dev/fuse && mount -i -t fuse dead \"$0\""
                    + " -o fd=9,rootmode=40000,user_id=0,group_id=0 && exec \"$@\"";

    private static final int CALLS = 100;
    private static final long PATIENCE_SECONDS = 120;

    @BeforeAll
    static void needsMountsOfItsOwn() throws Exception {
        int status =
                new ProcessBuilder("unshare", "-Urm", "test", "-w", "/dev/fuse")
                        .redirectErrorStream(true)
                        .start()
                        .waitFor();
        assumeTrue(status == 0, "this machine lets nobody mount a file system (unshare -Urm)");
    }

    private static Path dead(ServerHarness harness) throws IOException {
        var directory = Files.createDirectories(harness.file("dead"));
        harness.wrapper("unshare", "-Urm", "bash", "-c", DEAD_MOUNT, directory.toString());
        return directory;
    }

    @Test
    void hundredTasksInADeadDirectoryAreRefusedAndNothingElseWaits(ServerHarness harness)
            throws Exception {
        var directory = dead(harness).resolve("alice");
        var api = harness.start();
        var inDead = TaskBuilder.cpu("true").with("work_dir", directory.toString());
        var refusals = new ArrayList<Future<TestClient.TestReply>>();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CALLS; i++) {
                refusals.add(
                        callers.submit(
                                () -> harness.socket().client().post("/api/tasks", inDead.body())));
            }
            long healthy = api.submit(TaskBuilder.cpu("echo works").with("work_dir", "/tmp"));
            assertThat(api.awaitEnd(healthy).path("status").asString()).isEqualTo("completed");
            assertThat(api.client().get("/api/health").json().path("status").asString())
                    .isEqualTo("ok");
            for (var one : refusals) {
                assertRefused(one.get(PATIENCE_SECONDS, TimeUnit.SECONDS), directory);
            }
        }
        assertRefused(api.client().post("/api/tasks", inDead.body()), directory);
        assertThat(api.tasks()).as("only the healthy one was accepted").hasSize(1);
    }

    @Test
    void linksIntoADeadDirectoryLeaveThreadsForOthers(ServerHarness harness) throws Exception {
        var directory = dead(harness);
        var api = harness.start();
        var refusals = new ArrayList<Future<TestClient.TestReply>>();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int user = 0; user < CALLS; user++) {
                var link = harness.file("user-" + user);
                Files.createSymbolicLink(link, directory.resolve("user-" + user));
                var inDead = TaskBuilder.cpu("true").with("work_dir", link.toString());
                refusals.add(
                        callers.submit(
                                () -> harness.socket().client().post("/api/tasks", inDead.body())));
            }
            for (var one : refusals) {
                var reply = one.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                assertThat(reply.status()).as("%s", reply).isEqualTo(503);
            }
        }
        long healthy = api.submit(TaskBuilder.cpu("echo works").with("work_dir", "/tmp"));
        assertThat(api.awaitEnd(healthy).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void aDeadLogDirectoryDelaysNoStateFileAndADeadProcessFileNoCleanup(ServerHarness harness)
            throws Exception {
        var directory = dead(harness);
        var api =
                harness.configure(
                                """
                                log_dir: %1$s/logs
                                process_json_path: %1$s/uni_id.json
                                """
                                        .formatted(directory))
                        .start();
        var runs = new FileRunApi(harness);
        long run = runs.write("multi", "0\nsleep 600\n1\n1\n").start("multi");
        var state = harness.home().resolve("logs/state/" + run + ".json");
        eventually(
                "the state is written",
                () -> Files.exists(state) && Files.readString(state).contains("\"running\":1"));

        runs.stop(run);

        eventually(
                "the next state is written, too",
                () -> Files.readString(state).contains("\"status\":\"stop"));

        var cleanup = api.client().get("/api/cleanup");

        assertThat(cleanup.status()).as("%s", cleanup).isEqualTo(503);
        assertThat(cleanup.json().path("detail").asString()).contains("uni_id.json");
    }

    @Test
    void configuredDirectoriesThatAreDeadStopOnlyWhatNeedsThem(ServerHarness harness)
            throws Exception {
        var directory = dead(harness);
        var api =
                harness.configure(
                                """
                                work_dir: %1$s/work
                                log_dir: %1$s/logs
                                log_roots: [%1$s/roots]
                                process_json_path: %1$s/uni_id.json
                                commands_path: %1$s/command.txt
                                """
                                        .formatted(directory))
                        .start();
        var file = harness.file("command.txt");
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var fromHome = callers.submit(() -> post(harness, "/api/scheduler/single/start", ""));
            var sent =
                    callers.submit(
                            () ->
                                    post(
                                            harness,
                                            "/api/scheduler/multi/start",
                                            """
                                            {"content":"0\\ntrue\\n1\\n1\\n","command_file":"%s"}\
                                            """
                                                    .formatted(file)));
            var bound =
                    callers.submit(
                            () ->
                                    post(
                                            harness,
                                            "/api/log/bind",
                                            """
                                            {"mode":"single","config_index":0,"queue_id":0,
                                             "task_index":0,"log_path":"%s/roots/train.log"}\
                                            """
                                                    .formatted(directory)));
            var healthyLog =
                    callers.submit(
                            () ->
                                    harness.socket()
                                            .client()
                                            .get("/api/log/read?path=logs/berth.log"));
            assertRefused(fromHome.get(), directory.resolve("command.txt"));
            assertRefused(sent.get(), directory.resolve("work"));
            assertRefused(bound.get(), directory.resolve("roots/train.log"));
            assertThat(healthyLog.get().status()).isEqualTo(200);
        }
        long healthy = api.submit(TaskBuilder.cpu("echo works").with("work_dir", "/tmp"));
        assertThat(api.awaitEnd(healthy).path("status").asString()).isEqualTo("completed");
        assertThat(api.client().get("/api/health").json().path("status").asString())
                .isEqualTo("ok");
    }

    private static TestClient.TestReply post(ServerHarness harness, String path, String body) {
        return harness.socket().client().post(path, body);
    }

    private static void assertRefused(TestClient.TestReply reply, Path path) {
        assertThat(reply.status()).as("%s", reply).isEqualTo(503);
        assertThat(reply.json().path("code").asString()).isEqualTo("path.no_answer");
        assertThat(reply.json().path("detail").asString()).contains(path.toString());
    }
}
