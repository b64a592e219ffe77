package dev.berth.server.api.task;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

class TaskRoutesTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private long gpuTask(String name, int gpus) {
        return server.submit(
                TestServer.body(
                        Map.of("name", name, "command", "echo " + name, "gpu_count", gpus)));
    }

    private JsonNode show(long id) {
        return server.socket().get("/api/tasks/" + id).json();
    }

    @Test
    void fourFieldsCreateAQueuedTask() {
        var reply =
                server.tcp()
                        .post(
                                "/api/tasks",
                                "{\"name\":\" train \",\"gpu_type\":\""
                                        + ScriptedNode.MODEL
                                        + "\",\"gpu_count\":1,\"command\":\"a\\nb\"}");
        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.header("Location")).contains("/api/tasks/1");
        var task = reply.json();
        assertThat(task.get("status").asString()).isEqualTo("queued");
        assertThat(task.get("name").asString()).isEqualTo("train");
        assertThat(task.get("command").asString()).isEqualTo("a\nb");
        assertThat(task.get("gpu_type").asString()).isEqualTo(ScriptedNode.MODEL);
        assertThat(task.get("source").asString()).isEqualTo("api");
        assertThat(task.get("priority").asString()).isEqualTo("NORMAL");
        for (var absent :
                List.of(
                        "assigned_gpus",
                        "tmux_session",
                        "exit_code",
                        "error",
                        "log_path",
                        "started_at")) {
            assertThat(task.get(absent).isNull()).as(absent).isTrue();
        }
        assertThat(server.tasks()).isEqualTo(1);
    }

    @Test
    void detailHasEveryField() {
        var task = show(gpuTask("all", 1));
        var fields =
                ("id name command status priority owner source devices work_dir gpu_type gpu_count"
                     + " min_gpu max_gpu memory_gb model_name task_type structure_n_atoms"
                     + " timeout_seconds lane uni_id retry_count created_at queued_at started_at"
                     + " finished_at assigned_gpus tmux_session log_path exit_code error phase")
                        .split(" ");
        for (var field : fields) {
            assertThat(task.has(field)).as(field).isTrue();
        }
    }

    @Test
    void aRunningTaskShowsItsAttempt() {
        long id = gpuTask("runs", 2);
        eventually("it runs", () -> show(id).get("phase").asString().equals("running"));
        var task = show(id);
        assertThat(task.get("status").asString()).isEqualTo("running");
        assertThat(task.get("assigned_gpus").toString()).isEqualTo("[0,1]");
        assertThat(task.get("started_at").asString()).isEqualTo("2025-11-15T08:00:00.250000Z");
        assertThat(task.get("log_path").asString()).isEqualTo("/logs/" + id + ".1/tmux.log");
        assertThat(task.get("wait_reasons").isEmpty()).isTrue();
        assertThat(task.get("position").isNull()).isTrue();
        var attempt = task.get("attempts").get(0);
        assertThat(attempt.get("number").asInt()).isEqualTo(1);
        assertThat(attempt.get("pid").asLong()).isEqualTo(4000 + id);
        assertThat(attempt.get("gpus").toString()).isEqualTo("[0,1]");
    }

    @Test
    void aFailedTaskShowsItsExitCodeAndError() {
        long id = gpuTask("fails", 1);
        server.end(id, 3);
        var task = show(id);
        assertThat(task.get("status").asString()).isEqualTo("failed");
        assertThat(task.get("exit_code").asInt()).isEqualTo(3);
        assertThat(task.get("error").asString()).isEqualTo("exit code 3");
        assertThat(task.get("finished_at").isNull()).isFalse();
    }

    @Test
    void anErrorIsInTheLanguageOfTheRequest() {
        long id = gpuTask("fails", 1);
        server.end(id, 137);
        var path = "/api/tasks/" + id;
        var english = server.socket().get(path).json();
        var chinese = server.socket().get(path, "Accept-Language: zh-CN").json();
        assertThat(english.get("error").asString())
                .isEqualTo("exit code 137 (SIGKILL: killed, often for want of memory)");
        assertThat(chinese.get("error").asString()).isEqualTo("退出码 137（SIGKILL：被强制终止，多为内存不足）");
        assertThat(chinese.get("attempts").get(0).get("error")).isEqualTo(chinese.get("error"));
        assertThat(
                        server.socket()
                                .get("/api/tasks", "Accept-Language: zh-CN")
                                .json()
                                .get(0)
                                .get("error"))
                .isEqualTo(chinese.get("error"));
    }

    @Test
    void waitingTaskShowsTheReason() {
        long first = gpuTask("first", 2);
        long second = gpuTask("second", 1);
        long third = gpuTask("third", 1);
        var head = show(second);
        assertThat(head.get("position").asInt()).isZero();
        var reason = head.get("wait_reasons").get(0);
        assertThat(reason.get("code").asString()).isEqualTo("cards.short");
        assertThat(reason.get("parts").size()).isEqualTo(2);
        assertThat(reason.get("parts").get(0).get("detail").asString())
                .isEqualTo("GPU 0 is held by task " + first + ".");
        var behind = show(third);
        assertThat(behind.get("position").asInt()).isEqualTo(1);
        assertThat(behind.get("wait_reasons").get(0).get("code").asString())
                .isEqualTo("line.behind");
        assertThat(behind.get("wait_reasons").get(0).get("params").get("head").asString())
                .isEqualTo(Long.toString(second));
    }

    @Test
    void givenFieldsAreStored() {
        var reply =
                server.socket()
                        .post(
                                "/api/tasks",
                                TestServer.body(
                                        Map.of(
                                                "name", "full",
                                                "command", "true",
                                                "memory_gb", 1.5,
                                                "priority", "HIGH",
                                                "work_dir", server.home.toString(),
                                                "env", Map.of("B", "2", "A", "secret"),
                                                "gpu_type", "any",
                                                "owner", "alice")));
        var task = reply.json();
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        assertThat(task.get("memory_gb").asDouble()).isEqualTo(1.5);
        assertThat(task.get("priority").asString()).isEqualTo("HIGH");
        assertThat(task.get("work_dir").asString()).isEqualTo(server.home.toString());
        assertThat(task.get("env").toString()).isEqualTo("[\"A\",\"B\"]");
        assertThat(reply.text()).doesNotContain("secret");
        assertThat(task.get("gpu_type").isNull()).isTrue();
        assertThat(task.get("owner").asString()).isEqualTo("alice");
    }

    @Test
    void cpuTaskNeedsNoGpu() {
        var task =
                show(
                        server.submit(
                                TestServer.body(
                                        Map.of(
                                                "name",
                                                "c",
                                                "command",
                                                "true",
                                                "devices",
                                                "cpu",
                                                "gpu_count",
                                                0))));
        assertThat(task.get("devices").asString()).isEqualTo("cpu");
        assertThat(task.get("gpu_count").asInt()).isZero();
        assertThat(task.get("assigned_gpus").toString()).isEqualTo("[]");
    }

    @Test
    void impossibleTaskIsRejectedWithTheNumberOfGpus() {
        var reply =
                server.socket()
                        .post(
                                "/api/tasks",
                                "{\"name\":\"x\",\"command\":\"true\",\"gpu_count\":3}");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.json().get("detail").asString())
                .contains("Needs 3 GPUs; 2 GPUs of this kind exist here.");
        var type =
                server.socket()
                        .post(
                                "/api/tasks",
                                "{\"name\":\"x\",\"command\":\"true\",\"gpu_type\":\"H900\"}");
        assertThat(type.status()).isEqualTo(400);
        assertThat(type.json().get("detail").asString()).contains(ScriptedNode.MODEL);
        assertThat(server.tasks()).isZero();
    }

    @Test
    void listIsNewestFirstWithoutCommands() {
        for (int i = 0; i < 5; i++) {
            server.submit(TestServer.cpuTask("t" + i));
        }
        var reply = server.socket().get("/api/tasks");
        assertThat(ids(reply)).containsExactly(5L, 4L, 3L, 2L, 1L);
        assertThat(reply.header("X-Total-Count")).contains("5");
        assertThat(reply.header("Link")).isEmpty();
        assertThat(reply.json().get(0).has("command")).isFalse();
    }

    @Test
    void summaryHasTheFieldsOfARow() {
        long ended = gpuTask("ended", 2);
        server.end(ended, 3);
        long waiting =
                server.submit(
                        TestServer.body(Map.of("name", "w", "command", "true", "draft", true)));
        var rows = server.socket().get("/api/tasks").json();
        var first = rows.get(1);
        assertThat(first.get("id").asLong()).isEqualTo(ended);
        assertThat(first.get("name").asString()).isEqualTo("ended");
        assertThat(first.get("status").asString()).isEqualTo("failed");
        assertThat(first.get("gpu_type").isNull()).isTrue();
        assertThat(first.get("gpu_count").asInt()).isEqualTo(2);
        for (var time : List.of("created_at", "started_at", "finished_at")) {
            assertThat(first.get(time).asString()).as(time).endsWith("Z");
        }
        var second = rows.get(0);
        assertThat(second.get("id").asLong()).isEqualTo(waiting);
        assertThat(second.get("status").asString()).isEqualTo("pending");
        assertThat(second.get("created_at").asString()).endsWith("Z");
        assertThat(second.get("started_at").isNull()).isTrue();
        assertThat(second.get("finished_at").isNull()).isTrue();
    }

    @Test
    void listIsPaged() {
        for (int i = 0; i < 5; i++) {
            server.submit(TestServer.cpuTask("t" + i));
        }
        server.end(5, 0);
        var first = server.socket().get("/api/tasks?limit=2&status=running");
        assertThat(ids(first)).containsExactly(4L, 3L);
        assertThat(first.header("X-Total-Count")).contains("4");
        assertThat(first.header("Link"))
                .contains("</api/tasks?limit=2&before=3&status=running>; rel=\"next\"");
        var second = server.socket().get("/api/tasks?limit=2&before=3&status=running");
        assertThat(ids(second)).containsExactly(2L, 1L);
        assertThat(ids(server.socket().get("/api/tasks?status=completed&source=api")))
                .containsExactly(5L);
        assertThat(ids(server.socket().get("/api/tasks?status=pending"))).isEmpty();
    }

    @Test
    void aListWithoutALimitEndsAfterAThousandTasksAndNamesTheNextPage() {
        for (int i = 0; i < 21; i++) {
            var fifty =
                    "["
                            + String.join(",", Collections.nCopies(50, TestServer.cpuTask("many")))
                            + "]";
            assertThat(server.socket().post("/api/tasks/batch", fifty).status()).isEqualTo(201);
        }
        var first = server.socket().get("/api/tasks");
        assertThat(ids(first))
                .hasSize(1000)
                .startsWith(1050L)
                .endsWith(51L)
                .doesNotHaveDuplicates();
        assertThat(first.header("X-Total-Count")).contains("1050");
        assertThat(first.header("Link"))
                .contains("</api/tasks?limit=1000&before=51>; rel=\"next\"");
        var second = server.socket().get("/api/tasks?limit=1000&before=51");
        assertThat(ids(second)).hasSize(50).startsWith(50L).endsWith(1L);
        assertThat(second.header("Link")).isEmpty();
    }

    @Test
    void aListCanBeReadOldestFirst() {
        for (int i = 0; i < 5; i++) {
            server.submit(TestServer.cpuTask("t" + i));
        }
        var first = server.socket().get("/api/tasks?after=0&limit=3");
        assertThat(ids(first)).containsExactly(1L, 2L, 3L);
        assertThat(first.header("Link")).contains("</api/tasks?limit=3&after=3>; rel=\"next\"");
        assertThat(ids(server.socket().get("/api/tasks?limit=3&after=3"))).containsExactly(4L, 5L);
        assertThat(ids(server.socket().get("/api/tasks?after=1&before=4"))).containsExactly(2L, 3L);
    }

    @Test
    void listIsSearchedFilteredAndOrdered() {
        server.submit(TestServer.cpuTask("resnet b"));
        server.submit(TestServer.cpuTask("vit"));
        server.submit(TestServer.cpuTask("ResNet a+c & d"));
        server.submit(TestServer.cpuTask("resnet c"));
        assertThat(ids(server.socket().get("/api/tasks?q=RES%20net"))).containsExactly(4L, 3L, 1L);
        assertThat(ids(server.socket().get("/api/tasks?q=%232"))).containsExactly(2L);
        assertThat(ids(server.socket().get("/api/tasks?q="))).hasSize(4);
        var owner = server.socket().get("/api/tasks/1").json().get("owner").asString();
        assertThat(ids(server.socket().get("/api/tasks?owner=" + owner))).hasSize(4);
        assertThat(ids(server.socket().get("/api/tasks?owner=nobody-else"))).isEmpty();

        server.counted.clear();
        var first = server.socket().get("/api/tasks?sort=name&q=resnet&limit=2");
        assertThat(ids(first)).containsExactly(3L, 1L);
        assertThat(first.header("X-Total-Count")).contains("3");
        assertThat(server.counted).as("a second pass over all tasks").isEmpty();
        assertThat(first.header("Link"))
                .contains("</api/tasks?limit=2&after=1&q=resnet&sort=name>; rel=\"next\"");
        assertThat(ids(server.socket().get("/api/tasks?limit=2&after=1&q=resnet&sort=name")))
                .containsExactly(4L);
        assertThat(server.socket().get("/api/tasks?limit=1&q=a%2Bc%20%26").header("Link"))
                .contains("</api/tasks?limit=1&before=3&q=a%2Bc+%26>; rel=\"next\"");
        assertThat(ids(server.socket().get("/api/tasks?sort=id&after=0")))
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(ids(server.socket().get("/api/tasks?sort=-id&after=3"))).containsExactly(2L, 1L);
        server.end(2, 0);
        server.end(1, 0);
        var ended = server.socket().get("/api/tasks?sort=-finished_at");
        assertThat(ids(ended)).containsExactly(1L, 2L);
        assertThat(ended.header("X-Total-Count")).contains("2");
    }

    @Test
    void badValuesOfTheListNameTheirParameter() {
        server.submit(TestServer.cpuTask("one"));
        for (var bad :
                List.of(
                        "sort=size",
                        "q=" + "x".repeat(201),
                        "q=1+2+3+4+5+6+7+8+9",
                        "owner=",
                        "status=done",
                        "after=77&sort=name",
                        "after=1&sort=finished_at",
                        "limit=0")) {
            var reply = server.socket().get("/api/tasks?" + bad);
            assertThat(reply.status()).as(bad).isEqualTo(422);
            assertThat(reply.json().get("field").asString())
                    .as(bad)
                    .isEqualTo(bad.substring(0, bad.indexOf('=')));
        }
    }

    @Test
    void cancellingAQueuedTaskMovesOthersUp() {
        gpuTask("holds", 2);
        long one = gpuTask("one", 1);
        long two = gpuTask("two", 1);
        long three = gpuTask("three", 1);
        var cancelled = server.socket().post("/api/tasks/" + two + "/cancel", "");
        assertThat(cancelled.status()).isEqualTo(200);
        assertThat(cancelled.json().get("status").asString()).isEqualTo("cancelled");
        assertThat(show(one).get("position").asInt()).isZero();
        assertThat(show(three).get("position").asInt()).isEqualTo(1);
        var again = server.socket().post("/api/tasks/" + two + "/cancel", "");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.code()).isEqualTo("task.finished");
    }

    @Test
    void cancellingARunningTaskEndsIt() {
        long id = gpuTask("runs", 1);
        var reply = server.socket().post("/api/tasks/" + id + "/cancel", "{}");
        assertThat(reply.status()).isEqualTo(200);
        eventually("it is cancelled", () -> show(id).get("status").asString().equals("cancelled"));
        assertThat(server.socket().post("/api/tasks/" + id + "/cancel", "").status())
                .isEqualTo(409);
    }

    @Test
    void cloneCopiesTheTask() {
        long id =
                server.submit(
                        TestServer.body(
                                Map.of(
                                        "name",
                                        "again",
                                        "command",
                                        "true",
                                        "priority",
                                        "LOW",
                                        "env",
                                        Map.of("A", "1"))));
        server.end(id, 1);
        var reply = server.socket().post("/api/tasks/" + id + "/clone", "");
        assertThat(reply.status()).isEqualTo(201);
        long other = reply.json().get("id").asLong();
        assertThat(other).isNotEqualTo(id);
        assertThat(reply.header("Location")).contains("/api/tasks/" + other);
        var first = server.store.find(new TaskId(id)).orElseThrow().task();
        var second = server.store.find(new TaskId(other)).orElseThrow().task();
        assertThat(second.spec()).isEqualTo(first.spec());
    }

    @Test
    void waitReturnsWhenTheTaskEnds() throws Exception {
        long id = gpuTask("slow", 1);
        var waiting = TestServer.async(() -> server.socket().get("/api/tasks/" + id + "/wait"));
        server.node.end(new AttemptId(new TaskId(id), 1), 0);
        // Sooner than the 30 seconds of a wait for a task that does not end.
        assertThat(waiting.get(3, TimeUnit.MINUTES).json().get("status").asString())
                .isEqualTo("completed");
        // A wait for an ended task returns at once.
        assertThat(
                        server.socket()
                                .get("/api/tasks/" + id + "/wait")
                                .json()
                                .get("status")
                                .asString())
                .isEqualTo("completed");
    }

    @Test
    void waitReturnsAfterTheGivenTime() {
        long id = gpuTask("slow", 1);
        long before = System.nanoTime();
        var reply = server.socket().get("/api/tasks/" + id + "/wait?seconds=1");
        assertThat(reply.json().get("status").asString()).isEqualTo("running");
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(1_000_000_000L);
    }

    @Test
    void eventsAreInOrder() {
        long id = gpuTask("seen", 1);
        server.end(id, 0);
        var all = server.socket().get("/api/events/log").json();
        var kinds = all.valueStream().map(event -> event.get("kind").asString()).toList();
        assertThat(kinds)
                .containsExactly(
                        "server.started",
                        "task.submitted",
                        "attempt.granted",
                        "attempt.started",
                        "attempt.ended",
                        "task.completed");
        long seq = all.get(3).get("seq").asLong();
        var rest = server.socket().get("/api/events/log?after=" + seq + "&limit=1").json();
        assertThat(rest.size()).isEqualTo(1);
        assertThat(rest.get(0).get("seq").asLong()).isEqualTo(seq + 1);
        assertThat(rest.get(0).get("task_id").asLong()).isEqualTo(id);
    }

    private static List<Long> ids(TestHttpClient.Reply reply) {
        return reply.json().valueStream().map(task -> task.get("id").asLong()).toList();
    }
}
