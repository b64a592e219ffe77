package dev.berth.server.api.run;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

class FileRunRoutesTest {

    private static final String ONE_QUEUE = "10\na\nb\n1.5\n\n10\nc\n1\n\n10\nd\n1\n";

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void runsAConfigAndShowsItByQueue() throws IOException {
        server.writeCommandFile("command_gpu.txt", ONE_QUEUE);
        var started = start("single", "?config_index=0&priority=HIGH");
        assertThat(started.status()).isEqualTo(200);
        var run = started.json();
        assertThat(run.get("pid").asLong()).isEqualTo(1);
        assertThat(run.get("mode").asString()).isEqualTo("single");
        assertThat(run.get("config_index").asInt()).isZero();
        assertThat(run.get("command_file").asString()).isEqualTo("command/command_gpu.txt");
        assertThat(run.get("status").asString()).isEqualTo("running");
        assertThat(run.get("priority").asString()).isEqualTo("HIGH");
        assertThat(run.get("owner").asString()).isEqualTo(System.getProperty("user.name"));
        assertThat(run.get("ended_at").isNull()).isTrue();
        assertThat(run.get("total").asInt()).isEqualTo(3);
        assertThat(run.get("log").asString()).isEqualTo("logs/scheduler_single_1.log");
        assertThat(run.get("problems").isEmpty()).isTrue();
        assertThat(run.get("queues").propertyNames()).containsExactly("10");

        var busy = awaitRunning(1);
        var state = running().get(0);
        assertThat(state.get("problems").isEmpty()).isTrue();
        assertThat(busy.get("task_id").asLong()).isEqualTo(1);
        var lane = state.get("queues").get("10");
        assertThat(lane.get("status").asString()).isEqualTo("busy");
        assertThat(lane.get("total").asInt()).isEqualTo(3);
        assertThat(lane.get("current").asLong()).isEqualTo(1);
        assertThat(lane.get("gpus")).isEqualTo(busy.get("gpus"));
        assertThat(busy.get("command").asString()).isEqualTo("a\nb");
        assertThat(busy.get("memory_gb").asDouble()).isEqualTo(1.5);
        assertThat(busy.get("gpu_count").asInt()).isEqualTo(1);
        assertThat(busy.get("pid").asLong()).isEqualTo(4001);
        assertThat(busy.get("uni_id").asString()).endsWith("_0");
        assertThat(busy.get("log").asString()).endsWith("tmux.log");
        assertThat(lane.get("processes").get(1).get("task_index").asInt()).isEqualTo(1);
        assertThat(lane.get("processes").get(1).get("status").asString()).isEqualTo("pending");
        assertThat(counts(state)).isEqualTo("2 1 0 0 0");
        assertThat(get("/api/scheduler/single/state")).isEqualTo(running());
        assertThat(get("/api/scheduler/multi/state").isEmpty()).isTrue();
    }

    @Test
    void queuesAreOrderedAndIndependent() throws IOException {
        server.writeCommandFile("command_gpu.txt", "10\na\n1\n\n9\nb\n1\n\n100\nc\n1\n");
        start("single", "");
        eventually("one runs", () -> running().get(0).get("running").asInt() == 1);
        var queues = running().get(0).get("queues");
        assertThat(queues.propertyNames()).containsExactly("9", "10", "100");
        // One of the two GPUs is left to other users.
        assertThat(queues.valueStream().map(lane -> lane.get("status").asString()))
                .containsExactlyInAnyOrder("busy", "idle", "idle");
        assertThat(running().get(0).get("reason").isNull()).isTrue();
    }

    @Test
    void taskShowsItsLane() throws IOException {
        server.writeCommandFile("command_gpu.txt", ONE_QUEUE);
        start("single", "");
        var task = server.show(3);
        assertThat(task.get("lane").asString()).isEqualTo("1/10");
        assertThat(task.get("run").asLong()).isEqualTo(1);
        assertThat(task.get("source").asString()).isEqualTo("file");
        assertThat(task.get("uni_id").asString()).endsWith("_0");
        assertThat(task.get("max_retries").isNull()).isTrue();
        long other = server.submit(TestServer.cpuTask("other"));
        assertThat(server.show(other).get("lane").isNull()).isTrue();
        assertThat(server.show(other).get("uni_id").isNull()).isTrue();
        assertThat(server.show(other).get("max_retries").asInt()).isZero();
        long named =
                server.submit(
                        TestServer.body(
                                Map.of(
                                        "name",
                                        "n",
                                        "command",
                                        "true",
                                        "devices",
                                        "cpu",
                                        "lane",
                                        "mine",
                                        "max_retries",
                                        2)));
        assertThat(server.show(named).get("lane").asString()).isEqualTo("mine");
        assertThat(server.show(named).get("run").isNull()).isTrue();
        assertThat(server.show(named).get("max_retries").asInt()).isEqualTo(2);
    }

    @Test
    void failedTaskIsRetriedWithBackoffAndShowsItsError() throws IOException {
        server.writeCommandFile("command_gpu.txt", "1\na\n1\n");
        start("single", "");
        for (int attempt = 1; attempt <= 4; attempt++) {
            awaitRunning(attempt);
            server.node.end(attempt(1, attempt), 3);
        }
        eventually("it rests", () -> lane("1").get("status").asString().equals("backoff"));
        var lane = lane("1");
        var process = lane.get("processes").get(0);
        assertThat(lane.get("backoff_until").asString()).endsWith("Z");
        assertThat(process.get("backoff_until")).isEqualTo(lane.get("backoff_until"));
        assertThat(process.get("retry_count").asInt()).isEqualTo(4);
        assertThat(process.get("uni_id").asString()).endsWith("_4");
        assertThat(process.get("status").asString()).isEqualTo("pending");
        assertThat(process.get("gpus").isEmpty()).isTrue();
        assertThat(process.get("pid").isNull()).isTrue();
        assertThat(process.get("error").asString()).isEqualTo("exit code 3");
        assertThat(process.get("error_type").asString()).isEqualTo("exit_3");
        assertThat(running().get(0).get("reason").asString())
                .contains("Its last attempt failed. The next one starts at");
        var task = server.show(1);
        assertThat(task.get("error").asString()).isEqualTo("exit code 3");
        assertThat(task.get("error_type").asString()).isEqualTo("exit_3");
        assertThat(task.get("retry_count").asInt()).isEqualTo(4);
        assertThat(task.get("backoff_until")).isEqualTo(lane.get("backoff_until"));
        var listed = get("/api/tasks").get(0);
        assertThat(listed.get("backoff_until")).isEqualTo(lane.get("backoff_until"));
        assertThat(listed.get("uni_id")).isEqualTo(process.get("uni_id"));
    }

    @Test
    void runWithoutUsableGpusShowsTheReason() throws Exception {
        server.close();
        var rules = SchedulingRules.DEFAULT.with(new LaneRules(Optional.empty(), 2, false));
        server = TestServer.open(new TestServer.Options(rules, Duration.ofDays(1)));
        server.writeCommandFile("command_gpu.txt", "1\na\n1\n");
        assertThat(start("single", "").json().get("reason").asString())
                .startsWith("gpu_left 2 keeps all GPUs of lanes free (GPU 0, 1)");
        eventually(
                "its log says so",
                () -> log("scheduler_single_1.log").contains("nothing starts: gpu_left 2 keeps"));
        var placement = get("/api/tasks/1/placement");
        assertThat(placement.get("selector").asString()).isEqualTo("sampling");
        assertThat(placement.get("gpus").get(0).get("chosen").asBoolean()).isFalse();
    }

    @Test
    void runThatWaitsShowsTheBusyGpu() throws IOException {
        server.node.read(2, 20_000, 20_000);
        server.writeCommandFile("command_gpu.txt", "1\na\n20\n");
        eventually(
                "the cards are seen to be busy",
                () -> get("/api/gpus").get(0).get("memory_used_mb").asLong() == 20_000);
        assertThat(start("single", "").json().get("reason").asString())
                .contains("Needs 1 GPU; none is free for it.")
                .contains("GPU 0 has 4000 MiB free");
    }

    @Test
    void configRunsOnceAtATime() throws IOException {
        server.writeCommandFile("command_gpu_1.txt", ONE_QUEUE);
        var first = start("single", "?config_index=1");
        assertThat(first.status()).isEqualTo(200);
        var second = start("single", "?config_index=1");
        assertThat(second.status()).isEqualTo(409);
        assertThat(second.code()).isEqualTo("run.already");
        assertThat(second.json().get("params").get("pid").asString()).isEqualTo("1");
        assertThat(get("/api/commands/single/list").get(0).get("running_pid").asLong())
                .isEqualTo(1);
    }

    @Test
    void invalidFileIsRejected() throws IOException {
        server.writeCommandFile("command_gpus.txt", "\n# nothing\n");
        server.writeCommandFile("command_gpus_1.txt", "x\ny\n\n1\n20\n");
        server.writeCommandFile("command_gpus_2.txt", "1\na\n1\n500\n");
        assertThat(start("single", "?config_index=4").status()).isEqualTo(404);
        assertThat(start("single", "?config_index=4").code()).isEqualTo("command.missing");
        var empty = start("multi", "");
        assertThat(empty.status()).isEqualTo(400);
        assertThat(empty.code()).isEqualTo("command.nothing");
        assertThat(empty.json().get("problems").isEmpty()).isTrue();
        var wrong = start("multi", "?config_index=1");
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.code()).isEqualTo("command.nothing");
        assertThat(wrong.json().get("problems").valueStream().map(one -> one.get("line").asInt()))
                .containsExactly(1, 4);
        var never = start("multi", "?config_index=2");
        assertThat(never.status()).isEqualTo(400);
        assertThat(never.code()).isEqualTo("command.nothing");
        assertThat(never.json().get("detail").asString()).contains("could never start");
        assertThat(start("triple", "").status()).isEqualTo(422);
        assertThat(start("triple", "").field()).isEqualTo("mode");
        assertThat(start("multi", "?priority=urgent").field()).isEqualTo("priority");
        assertThat(start("multi", "?config_index=-1").field()).isEqualTo("config_index");
        assertThat(running().isEmpty()).isTrue();
        assertThat(server.tasks()).isZero();
    }

    @Test
    void skippedBlocksAreReportedWithTheirLines() throws IOException {
        server.writeCommandFile("command_gpu.txt", "1\na\n500\n\n1\nb\n1\n\nno\nc\n1\n");
        var run = start("single", "").json();
        assertThat(run.get("total").asInt()).isEqualTo(1);
        assertThat(
                        run.get("problems")
                                .valueStream()
                                .map(
                                        one ->
                                                tuple(
                                                        one.get("line").asInt(),
                                                        one.get("code").asString())))
                .containsExactly(tuple(1, "cards.too_many"), tuple(9, "command.bad_queue"));
        assertThat(running().get(0).get("problems")).isEqualTo(run.get("problems"));
        server.socket().post("/api/scheduler/stop/1", "");
        eventually("it is over", () -> running().isEmpty());
        assertThat(get("/api/scheduler/run/1").get("problems")).isEqualTo(run.get("problems"));
        eventually(
                "its log names them",
                () ->
                        log("scheduler_single_1.log").contains("line 1 is left out: ")
                                && log("scheduler_single_1.log").contains("line 9 is left out: "));
    }

    @Test
    void missingWorkDirectoryIsReported() throws IOException {
        server.writeCommandFile("command_gpu.txt", ONE_QUEUE);
        server.workDir = server.home.resolve("gone");
        var refused = start("single", "");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.code()).isEqualTo("run.work_dir");
        assertThat(refused.json().get("detail").asString())
                .contains(server.home.resolve("gone").toString());
    }

    @Test
    void sentFileRunsUnderItsName() throws IOException {
        server.writeCommandFile("command_gpu_3.txt", "1\nold\n1\n");
        var own = server.home.resolve("command/../command/command_gpu_3.txt");
        var run = send("single", own.toString(), "1\nnew\n1\n").json();
        assertThat(run.get("config_index").asInt()).isEqualTo(3);
        assertThat(run.get("command_file").asString()).isEqualTo("command/command_gpu_3.txt");
        assertThat(run.get("log").asString()).isEqualTo("logs/compete_gpu.log");
        assertThat(run.get("queues").get("1").get("processes").get(0).get("command").asString())
                .isEqualTo("new");
        assertThat(start("single", "?config_index=3").code()).isEqualTo("run.already");

        var inside = server.home.resolve("mine.txt");
        var other = send("multi", inside.toString(), "1\na\n1\n1\n").json();
        assertThat(other.get("config_index").isNull()).isTrue();
        assertThat(other.get("command_file").asString()).isEqualTo("mine.txt");
        assertThat(other.get("log").asString()).isEqualTo("logs/compete_gpus.log");
        assertThat(send("multi", inside.toString(), "1\na\n1\n1\n").code())
                .isEqualTo("run.already");
        var outside = send("single", "/no/such/file.txt", "1\na\n1\n").json();
        assertThat(outside.get("command_file").asString()).isEqualTo("/no/such/file.txt");
    }

    @Test
    void sentFileRunsInTheDirectoryOfItsCaller() throws IOException {
        var caller = Files.createDirectories(server.home.resolve("caller")).toString();
        sendFrom(caller, "/a.txt");
        assertThat(server.show(1).get("work_dir").asString()).isEqualTo(caller);
        for (var bad : List.of("relative", "/no/such/directory", "/etc/passwd")) {
            var refused = sendFrom(bad, "/b.txt");
            assertThat(refused.code()).as(bad).isEqualTo("work_dir.invalid");
            assertThat(refused.field()).isEqualTo("work_dir");
        }
        server.writeCommandFile("command_gpu.txt", ONE_QUEUE);
        sendFrom(caller, server.home.resolve("command/command_gpu.txt").toString());
        assertThat(server.show(2).get("work_dir").asString())
                .as("a file of the home")
                .isEqualTo(server.workDir.toString());
        server.isWorkDirSet = true;
        sendFrom("/no/such/directory", "/c.txt");
        assertThat(server.show(3).get("work_dir").asString())
                .as("work_dir is configured")
                .isEqualTo(server.workDir.toString());
    }

    private TestHttpClient.Reply sendFrom(String directory, String file) {
        return server.socket()
                .post(
                        "/api/scheduler/single/start",
                        TestServer.body(
                                Map.of(
                                        "content",
                                        "1\na\n1\n",
                                        "command_file",
                                        file,
                                        "work_dir",
                                        directory)));
    }

    @Test
    void fileOfTheHomeThatATerminalStartsHasTheLogOfTerminals() throws IOException {
        server.writeCommandFile("command_gpu.txt", ONE_QUEUE);
        var run = start("single", "?config_index=0&origin=terminal").json();
        assertThat(run.get("log").asString()).isEqualTo("logs/compete_gpu.log");
        assertThat(start("single", "?origin=phone").field()).isEqualTo("origin");
    }

    @Test
    void linksToOneFileAreOneFile() throws IOException {
        var file = Files.writeString(server.home.resolve("mine.txt"), "");
        var link = Files.createSymbolicLink(server.home.resolve("link.txt"), file);
        assertThat(send("single", file.toString(), "1\na\n1\n").status()).isEqualTo(200);
        assertThat(send("single", link.toString(), "1\na\n1\n").code()).isEqualTo("run.already");
    }

    @Test
    void incompleteStartIsRejected() {
        var path = "/api/scheduler/single/start";
        assertThat(server.socket().post(path, "{\"content\":\"1\"}").field())
                .isEqualTo("command_file");
        assertThat(server.socket().post(path, "{\"command_file\":\"/x\"}").field())
                .isEqualTo("content");
        assertThat(send("single", "x.txt", "1\na\n1\n").status()).isEqualTo(422);
        assertThat(send("single", "x.txt", "1\na\n1\n").field()).isEqualTo("command_file");
        assertThat(send("single", "/x\0y", "1\na\n1\n").field()).isEqualTo("command_file");
        assertThat(server.socket().post(path, "{\"file\":\"/x\"}").status()).isEqualTo(422);
        assertThat(send("single", "/x", "#".repeat((10 << 20) + 1)).status()).isEqualTo(413);
    }

    @Test
    void stopEndsRunningAndCancelsQueuedTasks() throws IOException {
        server.writeCommandFile("command_gpu.txt", ONE_QUEUE);
        start("single", "");
        awaitRunning(1);
        var stopped = server.socket().post("/api/scheduler/single/stop?config_index=0", "");
        assertThat(stopped.status()).isEqualTo(200);
        assertThat(stopped.json().get("status").asString()).isEqualTo("stopping");
        eventually("it is over", () -> running().isEmpty());
        var state = get("/api/scheduler/single/state").get(0);
        assertThat(state.get("status").asString()).isEqualTo("stopped");
        assertThat(state.get("ended_at").asString()).endsWith("Z");
        assertThat(counts(state)).isEqualTo("0 0 0 0 3");
        assertThat(state.get("queues").get("10").get("status").asString()).isEqualTo("done");
        assertThat(server.socket().post("/api/scheduler/single/stop", "").code())
                .isEqualTo("run.not_running");
        assertThat(server.socket().post("/api/scheduler/stop/1", "").status()).isEqualTo(409);
        assertThat(server.socket().post("/api/scheduler/stop/1", "").code())
                .isEqualTo("run.not_running");
    }

    @Test
    void stopMayKeepRunningTasks() throws IOException {
        server.writeCommandFile("command_gpu.txt", ONE_QUEUE);
        start("single", "");
        awaitRunning(1);
        var stopped = server.socket().post("/api/scheduler/stop/1?keep_running=true", "").json();
        assertThat(stopped.get("status").asString()).isEqualTo("stopped");
        assertThat(counts(stopped)).isEqualTo("0 1 0 0 2");
        eventually(
                "the file says so",
                () -> file(1).filter(state -> counts(state).equals("0 1 0 0 2")).isPresent());
        server.end(1, 0);
        eventually(
                "also what went on is written down",
                () -> file(1).filter(state -> counts(state).equals("0 0 1 0 2")).isPresent());
    }

    @Test
    void onlyRunNumbersCanBeStopped() {
        long self = ProcessHandle.current().pid();
        for (long number : List.of(1L, self, Long.MAX_VALUE / 10)) {
            var refused = server.socket().post("/api/scheduler/stop/" + number, "");
            assertThat(refused.status()).isEqualTo(404);
            assertThat(refused.code()).isEqualTo("run.unknown");
        }
        assertThat(server.socket().post("/api/scheduler/stop/0", "").status()).isEqualTo(422);
        assertThat(server.socket().post("/api/scheduler/stop/x", "").field()).isEqualTo("pid");
        assertThat(server.socket().post("/api/scheduler/triple/stop", "").field())
                .isEqualTo("mode");
        assertThat(server.socket().post("/api/scheduler/single/stop", "{\"a\":1}").status())
                .isEqualTo(409);
    }

    @Test
    void schedulerIsNotAMode() {
        assertThat(server.socket().post("/api/scheduler/stop", "").json().has("changed")).isTrue();
        assertThat(server.socket().post("/api/scheduler/start", "").json().has("changed")).isTrue();
    }

    @Test
    void showsLiveRunsAndTheLastEndedRunOfEachFile() throws IOException {
        server.writeCommandFile("command_gpu.txt", "1\na\n1\n");
        server.writeCommandFile("command_gpu_1.txt", "1\na\n1\n");
        for (int run = 1; run <= 2; run++) {
            start("single", "");
            server.end(run, 0);
        }
        start("single", "?config_index=1");
        server.end(3, 0);
        start("single", "");
        assertThat(
                        get("/api/scheduler/single/state")
                                .valueStream()
                                .map(
                                        one ->
                                                tuple(
                                                        one.get("pid").asLong(),
                                                        one.get("status").asString())))
                .containsExactly(
                        tuple(2L, "finished"), tuple(3L, "finished"), tuple(4L, "running"));
        assertThat(running().valueStream().map(one -> one.get("pid").asLong())).containsExactly(4L);
    }

    @Test
    void everyLiveRunIsListedHoweverItWasStarted() throws IOException {
        server.writeCommandFile("command_gpu.txt", "1\na\n1\n");
        start("single", "");
        server.end(1, 0);
        start("single", "");
        var own = server.home.resolve("mine.txt").toString();
        assertThat(send("multi", own, "1\na\n1\n1\n").status()).isEqualTo(200);
        assertThat(
                        running()
                                .valueStream()
                                .map(
                                        one ->
                                                tuple(
                                                        one.get("pid").asLong(),
                                                        one.get("command_file").asString(),
                                                        one.get("queues").size())))
                .containsExactlyInAnyOrder(
                        tuple(2L, "command/command_gpu.txt", 1), tuple(3L, "mine.txt", 1));
    }

    @Test
    void showsARunByItsNumber() throws IOException {
        server.writeCommandFile("command_gpu.txt", "1\na\n1\n");
        for (int run = 1; run <= 2; run++) {
            start("single", "");
            server.end(run, 0);
        }
        start("single", "");
        var first = get("/api/scheduler/run/1");
        assertThat(first.get("pid").asLong()).isEqualTo(1);
        assertThat(first.get("status").asString()).isEqualTo("finished");
        assertThat(counts(first)).isEqualTo("0 0 1 0 0");
        var live = get("/api/scheduler/run/3");
        assertThat(live.get("pid").asLong()).isEqualTo(3);
        assertThat(live.get("status").asString()).isEqualTo("running");
        for (long number : List.of(4L, Long.MAX_VALUE / 10)) {
            var unknown = server.socket().get("/api/scheduler/run/" + number);
            assertThat(unknown.status()).isEqualTo(404);
            assertThat(unknown.code()).isEqualTo("run.unknown");
        }
        assertThat(server.socket().get("/api/scheduler/run/0").field()).isEqualTo("pid");
        assertThat(server.socket().get("/api/scheduler/run/x").status()).isEqualTo(422);
    }

    @Test
    void stateFileMatchesTheResponse() throws IOException {
        server.writeCommandFile("command_gpu.txt", ONE_QUEUE);
        start("single", "");
        awaitRunning(1);
        eventually("both say the same", () -> file(1).equals(Optional.of(running().get(0))));
        server.end(1, 0);
        eventually("and go on", () -> running().get(0).get("completed").asInt() == 1);
        eventually("also then", () -> file(1).equals(Optional.of(running().get(0))));
        var log =
                Files.writeString(
                        Files.createDirectories(server.home.resolve("logs")).resolve("own.log"),
                        "");
        var bound =
                server.socket()
                        .post(
                                "/api/log/bind",
                                TestServer.body(
                                        Map.of(
                                                "mode",
                                                "single",
                                                "config_index",
                                                0,
                                                "queue_id",
                                                10,
                                                "task_index",
                                                1,
                                                "log_path",
                                                log.toString())));
        assertThat(bound.status()).isEqualTo(200);
        eventually(
                "a bound log is there",
                () ->
                        file(1).orElseThrow()
                                .get("queues")
                                .get("10")
                                .get("processes")
                                .get(1)
                                .get("bound_log")
                                .asString("")
                                .equals(log.toString()));
        assertThat(file(1)).contains(running().get(0));
        server.socket().post("/api/scheduler/stop/1", "");
        eventually(
                "also the end is written down",
                () ->
                        file(1).equals(Optional.of(get("/api/scheduler/single/state").get(0)))
                                && file(1).get().get("status").asString().equals("stopped"));
    }

    private TestHttpClient.Reply start(String mode, String query) {
        return server.socket().post("/api/scheduler/" + mode + "/start" + query, "");
    }

    private TestHttpClient.Reply send(String mode, String file, String content) {
        return server.socket()
                .post(
                        "/api/scheduler/" + mode + "/start",
                        TestServer.body(Map.of("content", content, "command_file", file)));
    }

    private JsonNode get(String path) {
        return server.socket().get(path).json();
    }

    private JsonNode running() {
        return get("/api/scheduler/running");
    }

    private JsonNode lane(String queue) {
        return running().get(0).get("queues").get(queue);
    }

    /** The first task of the first run, once this attempt is running. */
    private JsonNode awaitRunning(int attempt) {
        eventually(
                "attempt " + attempt + " runs",
                () ->
                        server.show(1).get("attempts").size() == attempt
                                && server.show(1).get("phase").asString().equals("running"));
        return running()
                .get(0)
                .get("queues")
                .propertyStream()
                .flatMap(lane -> lane.getValue().get("processes").valueStream())
                .filter(process -> process.get("task_id").asLong() == 1)
                .findFirst()
                .orElseThrow();
    }

    private static AttemptId attempt(long task, int number) {
        return new AttemptId(new TaskId(task), number);
    }

    private static String counts(JsonNode run) {
        return List.of("pending", "running", "completed", "failed", "cancelled").stream()
                .map(name -> run.get(name).asString())
                .collect(Collectors.joining(" "));
    }

    private Optional<JsonNode> file(long run) throws IOException {
        var file = server.home.resolve("logs/state/" + run + ".json");
        return Files.exists(file)
                ? Optional.of(JsonMapper.shared().readTree(Files.readString(file)))
                : Optional.empty();
    }

    private String log(String name) throws IOException {
        Path file = server.home.resolve("logs").resolve(name);
        return Files.exists(file) ? Files.readString(file) : "";
    }
}
