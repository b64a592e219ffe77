package dev.berth.server.api.why;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

class WhyRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private JsonNode why(long id, String... headers) {
        var reply = server.socket().get("/api/tasks/" + id + "/why", headers);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json();
    }

    private long submit(Map<String, ?> fields) {
        return server.submit(TestServer.body(fields));
    }

    /** A running task on GPU 0, and one that waits for two GPUs. */
    private long waitingBehind(long holder) {
        awaitRunning(holder);
        return submit(Map.of("name", "both", "command", "true", "gpu_count", 2));
    }

    private long holder() {
        return submit(Map.of("name", "holder", "command", "true"));
    }

    private void awaitRunning(long id) {
        eventually("it runs", () -> status(id).equals("running"));
    }

    private String status(long id) {
        return server.show(id).get("status").asString();
    }

    @Test
    void waitingTaskShowsReasonsGpusTasksAheadAndSuggestions() {
        long holder = holder();
        long id = waitingBehind(holder);
        var why = why(id);
        assertThat(why.get("task_id").asLong()).isEqualTo(id);
        assertThat(why.get("status").asString()).isEqualTo("queued");
        assertThat(why.get("reasons")).isEqualTo(server.show(id).get("wait_reasons"));
        assertThat(why.get("summary").get("detail").asString())
                .isEqualTo("Needs 2 GPUs; free for it now: 1.");
        assertThat(why.get("summary").get("parts").isEmpty()).isTrue();
        assertThat(why.get("gpus").toString())
                .isEqualTo(
                        ("[{\"reason\":{\"detail\":\"GPU 0 is held by task %d.\","
                                        + "\"code\":\"card.held\",\"params\":{\"attempt\":\"1\","
                                        + "\"gpu\":\"0\",\"task\":\"%d\",\"uuid\":\"GPU-0\"},"
                                        + "\"parts\":[]},\"gpus\":[0]},"
                                        + "{\"reason\":null,\"gpus\":[1]}]")
                                .formatted(holder, holder));
        var ahead = why.get("ahead").get(0);
        assertThat(ahead.get("task_id").asLong()).isEqualTo(holder);
        assertThat(ahead.get("name").asString()).isEqualTo("holder");
        assertThat(ahead.get("status").asString()).isEqualTo("running");
        assertThat(ahead.get("gpus").toString()).isEqualTo("[0]");
        assertThat(why.get("ahead_total").asInt()).isEqualTo(1);
        assertThat(why.get("people_ahead").asInt()).isEqualTo(1);
        var suggestion = why.get("suggestions").get(0);
        assertThat(suggestion.get("code").asString()).isEqualTo("fewer_gpus");
        assertThat(suggestion.get("detail").asString()).isEqualTo("with 1 GPU: now");
        assertThat(suggestion.get("change").toString()).isEqualTo("{\"gpu_count\":1}");
        assertThat(suggestion.get("starts_now").asBoolean()).isTrue();
        assertThat(suggestion.get("eta").isNull()).isTrue();
        assertThat(suggestion.get("command").asString())
                .isEqualTo("berth edit " + id + " --gpus 1");
    }

    @Test
    void startsAreExpectedIfTheRunningTasksHaveTimeLimits() {
        long holder = submit(Map.of("name", "holder", "command", "true", "timeout_seconds", 3600));
        awaitRunning(holder);
        var preview = preview(Map.of("name", "n", "command", "true", "devices", "0"));
        assertThat(preview.get("starts_now").asBoolean()).isFalse();
        assertThat(Instant.parse(preview.get("eta").asString())).isAfter(Instant.now());
        long id = waitingBehind(holder);
        var why = why(id);
        var end = why.get("ahead").get(0).get("expected_end").asString();
        assertThat(Instant.parse(end)).isAfter(Instant.now());
        assertThat(why.get("eta").asString()).isEqualTo(end);
        assertThat(why.get("eta_latest").asString()).isEqualTo(end);
    }

    @Test
    void anUnknownStartHasAReason() {
        long holder = holder();
        long id = waitingBehind(holder);
        var reason = why(id).get("eta_reason");
        assertThat(reason.get("code").asString()).isEqualTo("eta.running_task");
        assertThat(reason.get("params").get("task").asLong()).isEqualTo(holder);
        assertThat(reason.get("detail").asString())
                .isEqualTo("Task " + holder + ", which is running, has no earlier runs like it.");
        eventually("the forecast has it", () -> server.show(id).get("eta_reason").equals(reason));
        var preview = preview(Map.of("name", "n", "command", "true", "gpu_count", 2));
        assertThat(preview.get("eta_reason")).isEqualTo(reason);
        assertThat(why(id, "Accept-Language: zh-CN").get("eta_reason").get("detail").asString())
                .contains("正在运行的任务 " + holder);
        assertThat(server.show(holder).get("eta_reason").isNull()).isTrue();
    }

    @Test
    void theStartBehindATaskOfUnknownLengthIsUnknownBecauseOfThat() {
        long holder = submit(Map.of("name", "holder", "command", "true", "timeout_seconds", 3600));
        long ahead = waitingBehind(holder);
        assertThat(why(ahead).get("eta").isNull()).isFalse();
        assertThat(why(ahead).get("eta_reason").isNull()).isTrue();
        long id = submit(Map.of("name", "last", "command", "true", "gpu_count", 2));
        var reason = why(id).get("eta_reason");
        assertThat(reason.get("code").asString()).isEqualTo("eta.task_ahead");
        assertThat(reason.get("params").get("task").asLong()).isEqualTo(ahead);
    }

    @Test
    void twoChangesAreSuggestedTogetherIfNoneAloneHelps() {
        awaitRunning(submit(Map.of("name", "alone", "command", "true", "devices", "0")));
        awaitRunning(
                submit(
                        Map.of(
                                "name",
                                "sharing",
                                "command",
                                "true",
                                "devices",
                                "1",
                                "memory_gb",
                                4,
                                "share",
                                true)));
        long id = submit(Map.of("name", "n", "command", "true", "devices", "0", "memory_gb", 4));
        var suggestion = why(id).get("suggestions").get(0);
        assertThat(suggestion.get("code").asString()).isEqualTo("two_changes");
        assertThat(suggestion.get("detail").asString())
                .isEqualTo(
                        "sharing its GPUs with other tasks that share and on any GPU, not only GPU"
                                + " 0: now");
        assertThat(suggestion.get("command").asString())
                .isEqualTo("berth edit " + id + " --share --device auto --gpus 1");
        assertThat(why(id, "Accept-Language: zh-CN").get("suggestions").get(0).get("detail"))
                .hasToString("\"与其他可共享的任务共用 GPU，并且不限定 GPU 0，任意 1 张：现在就能启动\"");
        assertThat(patch(id, suggestion.get("change").toString())).isEqualTo("running");
    }

    @Test
    void sentencesAreInTheCallersLanguage() {
        long id = waitingBehind(holder());
        var why = why(id, "Accept-Language: zh-CN");
        assertThat(why.get("summary").get("detail").asString()).contains("需要 2 张 GPU");
        assertThat(why.get("suggestions").get(0).get("detail").asString())
                .isEqualTo("只用 1 张 GPU：现在就能启动");
        assertThat(why(id).get("suggestions").get(0).get("detail").asString())
                .as("the answer of one state is shared, its sentences are not")
                .isEqualTo("with 1 GPU: now");
    }

    @Test
    void eachCommittedChangeIsSeen() {
        long holder = holder();
        long id = waitingBehind(holder);
        assertThat(why(id).get("suggestions").isEmpty()).isFalse();
        assertThat(patch(id, "{\"gpu_count\":1}")).isEqualTo("running");
        assertThat(why(id).get("summary").get("detail").asString())
                .isEqualTo("It is running on GPU 1.");
        assertThat(why(id).get("suggestions").isEmpty()).isTrue();
    }

    private String patch(long id, String change) {
        var reply = server.socket().patch("/api/tasks/" + id, change);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return status(id);
    }

    @Test
    void gpusWithOneReasonAreOneGroup() {
        server.node.read(4, 20_000, 21_000, 0, 0);
        long pair = submit(Map.of("name", "pair", "command", "true", "devices", "2,3"));
        awaitRunning(pair);
        long id = submit(Map.of("name", "n", "command", "true", "memory_gb", 8));
        var groups = why(id).get("gpus");
        assertThat(groups.get(0).get("gpus").toString()).isEqualTo("[0,1]");
        assertThat(groups.get(0).get("reason").get("detail").asString())
                .isEqualTo("GPU 0,1 has at most 4000 MiB free, 8192 MiB are needed.");
        assertThat(groups.get(1).get("gpus").toString()).isEqualTo("[2,3]");
        assertThat(groups.get(1).get("reason").get("detail").asString())
                .isEqualTo("GPU 2,3 is held by task " + pair + ".");
        assertThat(groups.size()).isEqualTo(2);
    }

    @Test
    void onlyTheFirstTasksAheadAreListed() {
        awaitRunning(submit(Map.of("name", "all", "command", "true", "gpu_count", 2)));
        var waiting =
                IntStream.range(0, 30)
                        .mapToObj(i -> submit(Map.of("name", "w" + i, "command", "true")))
                        .toList();
        var why = why(waiting.getLast());
        assertThat(why.get("ahead").size()).isEqualTo(20);
        assertThat(why.get("ahead_total").asInt()).isEqualTo(30);
        assertThat(why.get("ahead").valueStream().map(one -> one.get("task_id").asLong()).toList())
                .startsWith(1L, waiting.getFirst());
        assertThat(why.get("reasons").get(0).get("code").asString()).isEqualTo("line.behind");
    }

    @Test
    void tasksThatDoNotWaitSayWhatTheyAre() {
        long id = submit(Map.of("name", "n", "command", "true", "devices", "cpu"));
        awaitRunning(id);
        assertThat(summary(id)).isEqualTo("It is running.");
        server.end(id, 1);
        eventually("it has ended", () -> status(id).equals("failed"));
        assertThat(summary(id)).isEqualTo("It has failed. berth show " + id + " gives the cause.");
        long done = submit(Map.of("name", "n", "command", "true", "devices", "cpu"));
        awaitRunning(done);
        server.end(done, 0);
        eventually("it has ended", () -> status(done).equals("completed"));
        assertThat(summary(done)).isEqualTo("It has completed.");
        long draft = server.draft(Map.of("name", "d", "command", "true"));
        assertThat(summary(draft)).contains("berth queue " + draft);
        assertThat(server.socket().post("/api/tasks/" + draft + "/cancel", "").status())
                .isEqualTo(200);
        assertThat(summary(draft)).isEqualTo("It was cancelled.");
        assertThat(server.socket().get("/api/tasks/999/why").status()).isEqualTo(404);
        assertThat(server.socket().get("/api/tasks/x/why").status()).isEqualTo(422);
    }

    private String summary(long id) {
        var why = why(id);
        assertThat(why.get("reasons").isEmpty()).isTrue();
        assertThat(why.get("suggestions").isEmpty()).isTrue();
        return why.get("summary").get("detail").asString();
    }

    @Test
    void whilePausedTheReasonIsThePauseAndNothingIsSuggested() {
        server.stopScheduler();
        long id = submit(Map.of("name", "n", "command", "true"));
        var why = why(id);
        assertThat(why.get("summary").get("code").asString()).isEqualTo("paused.stopped");
        assertThat(why.get("suggestions").isEmpty()).isTrue();
    }

    @Test
    void changesHaveTheFieldsOfAPatchAndTheOptionsOfTheCommand() {
        server.node.tell(
                ScriptedNode.readable(0, 0),
                ScriptedNode.readable(1, 0),
                ScriptedNode.readable(2, 0));
        awaitRunning(submit(Map.of("name", "h", "command", "true", "devices", "0")));
        long id = submit(Map.of("name", "n", "command", "true", "devices", "0,1"));
        var suggestions = why(id).get("suggestions");
        assertThat(texts(suggestions, "detail"))
                .containsExactly("on GPU 1 only: now", "on any 2 GPUs, not only GPU 0,1: now");
        assertThat(texts(suggestions, "change"))
                .containsExactly("{\"devices\":\"1\"}", "{\"devices\":\"auto\",\"gpu_count\":2}");
        assertThat(texts(suggestions, "command"))
                .containsExactly(
                        "berth edit " + id + " --device 1",
                        "berth edit " + id + " --device auto --gpus 2");
    }

    @Test
    void aTaskThatSharesAsSuggestedRunsBesideTheOthers() {
        for (var device : List.of("0", "1")) {
            awaitRunning(
                    submit(
                            Map.of(
                                    "name",
                                    "h",
                                    "command",
                                    "true",
                                    "devices",
                                    device,
                                    "memory_gb",
                                    8,
                                    "share",
                                    true)));
        }
        long id = submit(Map.of("name", "n", "command", "true", "memory_gb", 8));
        var suggestions = why(id).get("suggestions");
        assertThat(texts(suggestions, "command")).containsExactly("berth edit " + id + " --share");
        assertThat(patch(id, suggestions.get(0).get("change").toString())).isEqualTo("running");
    }

    private static List<String> texts(JsonNode all, String name) {
        return all.valueStream()
                .map(one -> one.get(name))
                .map(one -> one.isString() ? one.asString() : one.toString())
                .toList();
    }

    @Test
    void previewSaysOnWhichGpusATaskWouldStartAndStoresNothing() {
        awaitRunning(holder());
        long before = server.tasks();
        var preview = preview(Map.of("name", "n", "command", "true"));
        assertThat(preview.get("starts_now").asBoolean()).isTrue();
        assertThat(preview.get("gpus").toString()).isEqualTo("[1]");
        assertThat(preview.get("position").asInt()).isZero();
        assertThat(preview.get("reasons").isEmpty()).isTrue();
        assertThat(server.tasks()).isEqualTo(before);
        assertThat(submit(Map.of("name", "n", "command", "true"))).isEqualTo(before + 1);
    }

    @Test
    void previewSuggestsTheMemoryThatEarlierRunsNeeded() {
        for (int run = 1; run <= 2; run++) {
            long id = submit(Map.of("name", "n", "command", "./train " + run, "memory_gb", 20));
            awaitRunning(id);
            server.endWithGpuUse(id, 0);
            eventually("it has ended", () -> status(id).equals("completed"));
        }
        var alike = preview(Map.of("name", "other", "command", "./train 8", "memory_gb", 20));
        assertThat(alike.get("predicted_from").isNull()).as("other numbers").isTrue();
        assertThat(alike.get("suggested_memory_mb").asInt()).isEqualTo(9 * 1024);
        var same = preview(Map.of("name", "other", "command", "./train 2", "memory_gb", 20));
        assertThat(same.get("predicted_from").asInt()).isEqualTo(1);
        var unlike = preview(Map.of("name", "new", "command", "./other"));
        assertThat(unlike.get("predicted_from").isNull()).isTrue();
        assertThat(unlike.get("suggested_memory_mb").isNull()).isTrue();
    }

    private JsonNode preview(Map<String, ?> fields) {
        var reply =
                server.socket()
                        .post("/api/tasks/preview", TestServer.body(fields), "Idempotency-Key: k1");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json();
    }

    @Test
    void previewOfATaskThatWaitsHasReasonsAndPosition() {
        waitingBehind(holder());
        var preview = preview(Map.of("name", "n", "command", "true", "gpu_count", 2));
        assertThat(preview.get("starts_now").asBoolean()).isFalse();
        assertThat(preview.get("gpus").isEmpty()).isTrue();
        assertThat(preview.get("position").asInt()).isEqualTo(1);
        assertThat(texts(preview.get("reasons"), "code"))
                .containsExactly("line.behind", "cards.short");
        assertThat(preview.get("eta").isNull()).isTrue();
    }

    @Test
    void previewOfADraftSaysThatItDoesNotStart() {
        var preview = preview(Map.of("name", "n", "command", "true", "draft", true));
        assertThat(preview.get("starts_now").asBoolean()).isFalse();
        assertThat(preview.get("position").isNull()).isTrue();
        assertThat(preview.get("reasons").get(0).get("code").asString()).isEqualTo("why.draft");
    }

    @Test
    void whatASubmitRefusesThePreviewRefusesAlike() {
        var bad =
                List.of(
                        "{",
                        "{}",
                        TestServer.body(Map.of("name", "n", "command", "true", "gpu_count", 99)),
                        TestServer.body(Map.of("name", "n", "command", "true", "gpu_type", "X")),
                        TestServer.body(Map.of("name", "n", "command", "true", "colour", 1)),
                        TestServer.body(Map.of("name", "n", "command", "true", "devices", "7")),
                        TestServer.body(Map.of("name", "n", "model_name", "nobody")),
                        TestServer.body(
                                Map.of("name", "n", "command", "true", "timeout_seconds", 1e9)));
        for (var body : bad) {
            var submitted = server.socket().post("/api/tasks", body);
            var preview = server.socket().post("/api/tasks/preview", body);
            assertThat(preview.status()).as(body).isEqualTo(submitted.status()).isBetween(400, 499);
            assertThat(preview.json()).isEqualTo(submitted.json());
        }
        assertThat(server.tasks()).isZero();
    }

    @Test
    void aKeyThatWasPreviewedCanStillBeUsed() {
        preview(Map.of("name", "n", "command", "true"));
        var body = JsonMapper.shared().writeValueAsString(Map.of("name", "o", "command", "true"));
        var reply = server.socket().post("/api/tasks", body, "Idempotency-Key: k1");
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    }
}
