package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random requests, from nearly valid to nonsense: never a 5xx, and the server stays healthy. */
class FuzzTest {

    private static final int REQUESTS = 2000;
    private static final List<String> PATHS =
            List.of(
                    "/api/tasks",
                    "/api/tasks/1",
                    "/api/tasks/1/logs",
                    "/api/tasks/1/cancel",
                    "/api/tasks/1/clone",
                    "/api/gpus",
                    "/api/health",
                    "/api/server",
                    "/api/events/log",
                    "/api/openapi.json",
                    "/api/commands/single",
                    "/api/commands/multi/new",
                    "/api/commands/single/list",
                    "/api/commands/single/1",
                    "/api/scheduler/single/start",
                    "/api/scheduler/stop/1",
                    "/api/scheduler/multi/state",
                    "/api/scheduler/running",
                    "/api/log/bind",
                    "/api/log/content",
                    "/api/log/read",
                    "/");
    private static final List<String> FIELDS =
            List.of(
                    "name",
                    "command",
                    "gpu_count",
                    "gpu_type",
                    "devices",
                    "memory_gb",
                    "priority",
                    "work_dir",
                    "env",
                    "owner",
                    "lane",
                    "content",
                    "queues",
                    "mode",
                    "config_index",
                    "queue_id",
                    "task_index",
                    "log_path",
                    "x");
    private static final List<String> VALUES =
            List.of(
                    "null",
                    "true",
                    "0",
                    "-1",
                    "1",
                    "1.5",
                    "1e309",
                    "-0.0",
                    "123456789012345678901234567890",
                    "\"\"",
                    "\"a\"",
                    "\"\\u0000\"",
                    "\"\\ud83d\"",
                    "\"\\ud83d\\ude00\"",
                    "\"cpu\"",
                    "\"auto\"",
                    "\"/tmp\"",
                    "\"/\\u00e9\"",
                    "\"HIGH\"",
                    "[]",
                    "[[]]",
                    "{}",
                    "{\"A\":\"b\"}",
                    "{\"A\":{}}",
                    "\"\\q\"",
                    "nul",
                    "\"");
    private static final List<String> HEADERS =
            List.of(
                    "Idempotency-Key: a",
                    "Idempotency-Key: \u00e9\u0001",
                    "Content-Type: text/html",
                    "Accept: image/png",
                    "Range: bytes=0-",
                    "Expect: 100-continue",
                    "Upgrade: websocket",
                    "Content-Encoding: gzip",
                    "If-None-Match: *",
                    "Cookie: a=b",
                    "X-HTTP-Method-Override: DELETE",
                    "Accept-Encoding: br;q=x",
                    "Transfer-Encoding: identity");
    private static final List<String> METHODS =
            List.of("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "X");

    @Test
    void noRequestMakesTheServerFail() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        try (var server = TestServer.open()) {
            for (int i = 0; i < REQUESTS; i++) {
                var request = request(random);
                var entrance = random.nextBoolean() ? server.socket() : server.tcp();
                var bytes = entrance.rawThenShutdown(request);
                if (bytes.length > 0) {
                    var shown =
                            "seed "
                                    + seed
                                    + " request "
                                    + i
                                    + "\n"
                                    + new String(request, StandardCharsets.ISO_8859_1);
                    assertThat(TestHttpClient.parse(bytes).status()).as(shown).isIn(range());
                }
            }
            assertThat(server.socket().get("/api/health").text())
                    .isEqualTo("{\"status\":\"ok\"}\n");
            server.submit(TestServer.cpuTask("after all that"));
        }
    }

    /** Every status but 500; 501 and 505 mean that the request was not valid HTTP. */
    private static List<Integer> range() {
        var good = new ArrayList<Integer>();
        for (int status = 200; status < 500; status++) {
            good.add(status);
        }
        good.addAll(List.of(501, 505));
        return good;
    }

    private static byte[] request(Random random) {
        var body = body(random);
        var head =
                new StringBuilder(
                        pick(random, METHODS)
                                + " "
                                + path(random)
                                + " HTTP/1.1\r\nHost: localhost\r\n");
        for (int i = random.nextInt(3); i > 0; i--) {
            head.append(pick(random, HEADERS)).append("\r\n");
        }
        head.append("Connection: close\r\nContent-Length: ").append(body.length).append("\r\n\r\n");
        var start = head.toString().getBytes(StandardCharsets.ISO_8859_1);
        var all = new byte[start.length + body.length];
        System.arraycopy(start, 0, all, 0, start.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        if (random.nextInt(10) == 0) {
            all[random.nextInt(all.length)] = (byte) random.nextInt(256);
        }
        return all;
    }

    private static String path(Random random) {
        var path = new StringBuilder(pick(random, PATHS));
        switch (random.nextInt(5)) {
            case 0 -> path.append("?").append(junk(random));
            case 1 ->
                    path.append("?limit=")
                            .append(random.nextInt(-5, 2000))
                            .append("&before=")
                            .append(junk(random));
            case 2 -> path.append("/").append(junk(random));
            default -> {}
        }
        return path.toString();
    }

    private static String junk(Random random) {
        var letters = "abz019%/.;&=+~-_:@!$'()*,\\|^`{}[]\"<>\u00e9";
        var junk = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            junk.append(letters.charAt(random.nextInt(letters.length())));
        }
        return junk.toString();
    }

    private static byte[] body(Random random) {
        if (random.nextInt(8) == 0) {
            var bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            return bytes;
        }
        var fields = new ArrayList<String>();
        if (random.nextBoolean()) {
            fields.add("\"name\":\"n\",\"command\":\"true\"");
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            fields.add("\"" + pick(random, FIELDS) + "\":" + pick(random, VALUES));
        }
        return ("{" + String.join(",", fields) + "}").getBytes(StandardCharsets.UTF_8);
    }

    private static String pick(Random random, List<String> from) {
        return from.get(random.nextInt(from.size()));
    }
}
