package dev.berth.server.api.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

class TaskLogRoutesTest {

    private TestServer server;
    private long task;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        task = server.submit(TestServer.cpuTask("talks"));
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private void print(int lines) {
        server.logs.lines.put(
                new AttemptId(new TaskId(task), 1),
                IntStream.range(0, lines).mapToObj(i -> "line " + i).toList());
    }

    private TestHttpClient.Reply log(String query) {
        return server.socket().get("/api/tasks/" + task + "/logs" + query);
    }

    @Test
    void returnsTheLastHundredLinesByDefault() {
        print(250);
        var reply = log("").json();
        assertThat(reply.get("task_id").asLong()).isEqualTo(task);
        assertThat(reply.get("lines").size()).isEqualTo(100);
        assertThat(reply.get("lines").get(99).asString()).isEqualTo("line 249");
        assertThat(reply.get("truncated").asBoolean()).isTrue();
        assertThat(log("?tail=3").json().get("lines").size()).isEqualTo(3);
    }

    @Test
    void shortLogIsReturnedWhole() {
        print(5);
        assertThat(log("").json().get("lines").size()).isEqualTo(5);
        assertThat(log("").json().get("truncated").asBoolean()).isFalse();
    }

    @Test
    void continuesFromAnOffset() {
        print(5);
        long next = log("?tail=1").json().get("next_offset").asLong();
        print(7);
        var rest = log("?from=" + next).json();
        assertThat(rest.get("lines").toString()).isEqualTo("[\"line 5\",\"line 6\"]");
        assertThat(log("?from=6&partial=true").json().get("lines").size()).isEqualTo(2);
        assertThat(log("?from=6&partial=false").json().get("lines").size()).isEqualTo(1);
    }

    private void printWithBanners() {
        server.logs.lines.put(
                new AttemptId(new TaskId(task), 1),
                List.of("===== first", "one", "two", "===== last"));
    }

    @Test
    void bannersAreLeftOutOnRequest() {
        printWithBanners();
        assertThat(log("").json().get("lines")).hasSize(4);
        assertThat(log("?banner=true").json().get("lines")).hasSize(4);
        assertThat(log("?banner=false").json().get("lines").toString())
                .isEqualTo("[\"one\",\"two\"]");
        assertThat(log("?from=0&banner=false").json().get("lines")).hasSize(2);
        assertThat(log("?banner=yes").status()).isEqualTo(422);
    }

    @Test
    void anAttemptCanBeNamed() {
        print(2);
        assertThat(log("?attempt=1").json().get("lines")).hasSize(2);
        assertThat(log("?attempt=2").status()).isEqualTo(404);
        assertThat(log("?attempt=2").code()).isEqualTo("attempt.unknown");
        assertThat(log("/raw?attempt=2").status()).isEqualTo(404);
        assertThat(log("?attempt=0").status()).isEqualTo(422);
    }

    @Test
    void theLogIsServedAsBytes() {
        printWithBanners();
        var all = log("/raw?banner=false");
        assertThat(all.text()).isEqualTo("one\ntwo\n");
        assertThat(all.header("Content-Type").orElseThrow()).startsWith("text/plain");
        assertThat(all.header("Content-Disposition").orElseThrow())
                .contains("task-" + task + "-attempt-1.log");
        assertThat(log("/raw").text()).startsWith("===== first\none\n");
        var piece = log("/raw?banner=false&limit=5");
        assertThat(piece.text()).isEqualTo("one\nt");
        assertThat(piece.header("X-Next-Offset").orElseThrow()).isEqualTo("5");
        assertThat(piece.header("X-Log-Attempt").orElseThrow()).isEqualTo("1");
        assertThat(piece.header("X-Log-Attempts").orElseThrow()).isEqualTo("1");
        assertThat(log("/raw?banner=false&limit=9&from=5").text()).isEqualTo("wo\n");
        var tail = log("/raw?banner=false&tail=1&limit=100");
        assertThat(tail.text()).isEqualTo("two\n");
        assertThat(tail.header("X-Log-Truncated").orElseThrow()).isEqualTo("true");
        for (var wrong :
                List.of("tail=1&from=2", "tail=0", "limit=0", "limit=99999999", "from=x")) {
            assertThat(log("/raw?" + wrong).status()).as(wrong).isEqualTo(422);
        }
    }

    @Test
    void aDownloadOfAGrowingLogEnds() {
        print(50_000);
        server.logs.isGrowing = true;
        assertThat(log("/raw").text()).startsWith("line 0\n").hasLineCount(50_001);
    }

    @Test
    void unstartedTaskHasNoLines() {
        server.submit(TestServer.body(Map.of("name", "holds", "command", "true", "gpu_count", 2)));
        long queued = server.submit(TestServer.body(Map.of("name", "waits", "command", "true")));
        var reply = server.socket().get("/api/tasks/" + queued + "/logs");
        assertThat(reply.text())
                .isEqualTo(
                        "{\"task_id\":"
                                + queued
                                + ",\"lines\":[],\"truncated\":false,\"next_offset\":0}\n");
        var file = server.socket().get("/api/tasks/" + queued + "/logs/raw");
        assertThat(file.status()).isEqualTo(200);
        assertThat(file.text()).isEmpty();
        assertThat(file.header("X-Log-Attempts")).contains("0");
        assertThat(file.header("Content-Disposition"))
                .contains("attachment; filename=\"task-" + queued + ".log\"");
    }

    @Test
    void invalidParametersAreNamed() {
        for (var tail :
                new String[] {"0", "-1", "abc", "1.5", "", "99999999999999999999", "10001"}) {
            var reply = log("?tail=" + tail);
            assertThat(reply.status()).as(tail).isEqualTo(422);
            assertThat(reply.field()).as(tail).isEqualTo("tail");
        }
        assertThat(log("?from=-1").field()).isEqualTo("from");
        assertThat(log("?from=0&partial=perhaps").field()).isEqualTo("partial");
        assertThat(log("?from=0&tail=5").status()).isEqualTo(422);
        assertThat(log("?partial=true").status()).isEqualTo(422);
        assertThat(server.socket().get("/api/tasks/999999/logs").status()).isEqualTo(404);
    }

    @Test
    void unreadableLogIsAnError() {
        server.logs.broken = true;
        assertThat(log("").status()).isEqualTo(503);
        assertThat(log("").code()).isEqualTo("log.unreadable");
        assertThat(log("/raw").status()).as("not a broken download").isEqualTo(503);
    }
}
