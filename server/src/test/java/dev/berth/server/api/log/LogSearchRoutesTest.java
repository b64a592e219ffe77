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

class LogSearchRoutesTest {

    private TestServer server;
    private long task;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        task = server.submit(TestServer.cpuTask("talks"));
        server.logs.texts.put(new AttemptId(new TaskId(task), 1), "one\nTwo hits\nthree\ntwo\n");
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private TestHttpClient.Reply get(String rest) {
        return server.socket().get("/api/tasks/" + task + "/logs/" + rest);
    }

    @Test
    void aSearchNamesLinesAndOffsets() {
        var found = get("search?q=two").json();
        assertThat(found.get("total").asLong()).isEqualTo(2);
        assertThat(found.get("attempt").asInt()).isEqualTo(1);
        assertThat(found.get("matches").get(0).toString())
                .isEqualTo("{\"line\":2,\"offset\":4,\"text\":\"Two hits\"}");
        var later = get("search?q=two&from=5&limit=1").json();
        assertThat(later.get("first").asLong()).isEqualTo(1);
        assertThat(later.get("matches").get(0).get("line").asInt()).isEqualTo(4);
    }

    @Test
    void aSectionBeginsOrEndsAtAnOffset() {
        assertThat(get("section").json().get("lines").size()).isEqualTo(4);
        assertThat(get("section?from=13").json().get("lines").get(0).asString()).isEqualTo("three");
        assertThat(get("section?before=13").json().get("lines").size()).isEqualTo(2);
    }

    @Test
    void bannersAreLeftOutOnRequest() {
        var banner = "===== first\n";
        server.logs.texts.put(new AttemptId(new TaskId(task), 1), banner + "one\ntwo\n===== two\n");
        assertThat(get("search?q=two").json().get("total").asLong()).isEqualTo(2);
        var found = get("search?q=two&banner=false").json();
        assertThat(found.get("total").asLong()).isEqualTo(1);
        assertThat(found.get("matches").get(0).toString())
                .isEqualTo("{\"line\":2,\"offset\":16,\"text\":\"two\"}");

        var whole = get("section").json();
        assertThat(whole.get("lines").size()).isEqualTo(4);
        assertThat(whole.get("begin_offset").asLong()).isZero();
        assertThat(whole.get("end_offset").asLong()).isEqualTo(whole.get("size").asLong());
        for (var output : List.of("section?banner=false", "section?from=0&banner=false")) {
            var section = get(output).json();
            assertThat(section.get("lines").toString()).isEqualTo("[\"one\",\"two\"]");
            assertThat(section.get("start").asLong()).isEqualTo(banner.length());
            assertThat(section.get("begin_offset").asLong()).isEqualTo(banner.length());
            assertThat(section.get("end_offset").asLong()).isEqualTo(20);
            assertThat(section.get("size").asLong()).isEqualTo(30);
        }
        assertThat(get("section?banner=no").field()).isEqualTo("banner");
    }

    @Test
    void unstartedTaskHasNoLines() {
        server.submit(TestServer.body(Map.of("name", "holds", "command", "true", "gpu_count", 2)));
        task = server.submit(TestServer.body(Map.of("name", "waits", "command", "true")));
        assertThat(get("search?q=a").json().get("total").asLong()).isZero();
        assertThat(get("section?banner=false").json().get("end_offset").asLong()).isZero();
        assertThat(get("section?attempt=1").code()).isEqualTo("attempt.unknown");
    }

    @Test
    void badValuesNameTheirParameter() {
        for (var bad :
                List.of(
                        "search?q=",
                        "search?q=" + "x".repeat(201),
                        "search?q=a%0Ab",
                        "search",
                        "section?from=-1",
                        "section?before=3&from=1")) {
            var reply = get(bad);
            assertThat(reply.status()).as(bad).isEqualTo(422);
            assertThat(reply.json().get("field").asString()).as(bad).isIn("q", "from", "before");
        }
        for (var route : List.of("search?q=a&attempt=2", "section?attempt=2", "download")) {
            assertThat(get(route).status()).as(route).isEqualTo(404);
        }
        assertThat(server.socket().get("/api/tasks/999/logs/search?q=a").status()).isEqualTo(404);
    }
}
