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
    void theDownloadIsTheWholeLogAsAFile() {
        var reply = get("download?attempt=1");
        assertThat(reply.text()).isEqualTo("one\nTwo hits\nthree\ntwo\n");
        assertThat(reply.header("Content-Disposition"))
                .contains("attachment; filename=\"task_" + task + ".1.log\"");
        assertThat(reply.header("Content-Type").orElse("")).startsWith("text/plain");
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
        for (var route :
                List.of("search?q=a&attempt=2", "section?attempt=2", "download?attempt=2")) {
            assertThat(get(route).status()).as(route).isEqualTo(404);
        }
        assertThat(server.socket().get("/api/tasks/999/logs/search?q=a").status()).isEqualTo(404);
    }
}
