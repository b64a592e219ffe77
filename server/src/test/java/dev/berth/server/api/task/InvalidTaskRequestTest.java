package dev.berth.server.api.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Every invalid request is rejected with the name of the field, and creates nothing. */
class InvalidTaskRequestTest {

    private static TestServer server;

    @BeforeAll
    static void open() throws Exception {
        server = TestServer.open();
    }

    @AfterAll
    static void close() throws Exception {
        server.close();
    }

    @AfterEach
    void noRecordWasMade() {
        assertThat(server.tasks()).isZero();
    }

    private static TestHttpClient.Reply post(String body) {
        return server.socket().post("/api/tasks", body);
    }

    /** A request that is valid except for one field. */
    private static String with(String field, String json) {
        var name = field.equals("name") ? "" : "\"name\":\"n\",";
        var command = field.equals("command") ? "" : "\"command\":\"true\",";
        return "{" + name + command + "\"" + field + "\":" + json + "}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "name|\"\"",
                "name|\"   \"",
                "name|null",
                "name|7",
                "name|[\"a\"]",
                "name|\"a\\nb\"",
                "name|\"a\\u001b[31m\"",
                "name|\"a\\u0000b\"",
                "name|\"a\\ud800b\"",
                "name|\"a\\u2028b\"",
                "command|\"\"",
                "command|\" \\n \"",
                "command|null",
                "command|{}",
                "command|\"echo \\u0000\"",
                "gpu_count|0",
                "gpu_count|-1",
                "gpu_count|\"two\"",
                "gpu_count|\"2\"",
                "gpu_count|1.5",
                "gpu_count|1.0",
                "gpu_count|1e9",
                "gpu_count|1000000000",
                "gpu_count|99999999999999999999999",
                "gpu_count|true",
                "gpu_count|[1]",
                "gpu_type|\"\"",
                "gpu_type|3",
                "gpu_count|\"0\"",
                "gpu_count|\"4-2\"",
                "gpu_count|\"0-2\"",
                "gpu_count|\"2-\"",
                "gpu_count|\"1-1025\"",
                "min_gpu|0",
                "min_gpu|1.5",
                "max_gpu|0",
                "max_gpu|\"2\"",
                "devices|\"\"",
                "devices|0",
                "devices|\"0,0\"",
                "devices|\"0,00\"",
                "devices|\"99\"",
                "devices|\"-1\"",
                "devices|\"gpu\"",
                "devices|\"0,\"",
                "devices|\"0;1\"",
                "devices|\"0-1\"",
                "devices|\"AUTO\"",
                "share|true",
                "share|1",
                "share|\"yes\"",
                "memory_gb|0",
                "memory_gb|-2",
                "memory_gb|\"20G\"",
                "memory_gb|1e400",
                "memory_gb|10000000",
                "memory_gb|true",
                "priority|\"urgent\"",
                "priority|\"high\"",
                "priority|1",
                "work_dir|\"relative\"",
                "work_dir|\"/no/such/place\"",
                "work_dir|\"/etc/passwd\"",
                "work_dir|\"/tmp\\u0000\"",
                "work_dir|7",
                "env|[]",
                "env|\"A=1\"",
                "env|{\"1A\":\"x\"}",
                "env|{\"\":\"x\"}",
                "env|{\"A=B\":\"x\"}",
                "owner|\"\"",
                "owner|\" \"",
                "owner|1",
                "owner|\"a\\nb\"",
                "model_name|\"\"",
                "model_name|7",
                "model_name|\"a\\nb\"",
                "task_type|\" \"",
                "structure_n_atoms|-1",
                "structure_n_atoms|5",
                "structure_n_atoms|1.5",
                "timeout_seconds|0",
                "timeout_seconds|-1",
                "timeout_seconds|2592001",
                "timeout_seconds|1.5",
                "draft|1",
                "draft|\"true\"",
                "max_retries|1001",
                "max_retries|-1",
                "max_retries|\"3\"",
                "lane|\"a b\"",
                "lane|\"3/1\"",
                "lane|7",
                "container_image|\"x\"",
                "nmae|\"x\"",
                "colour|\"red\""
            })
    void aBadFieldIsNamed(String field, String value) {
        var reply = post(with(field, value));
        assertThat(reply.status()).as(reply.text()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo(field);
        assertThat(reply.json().get("detail").asString()).isNotBlank();
        assertThat(reply.code()).matches("[a-z_]+(\\.[a-z_]+)+");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "env.A|{\"A\":1}",
                "env.A|{\"A\":null}",
                "env.A|{\"A\":\"\\u0000\"}",
                "env.BERTH_TASK|{\"BERTH_TASK\":\"1\"}",
                "env.LOG_FILE|{\"LOG_FILE\":\"1\"}",
                "env.CUDA_VISIBLE_DEVICES|{\"CUDA_VISIBLE_DEVICES\":\"1\"}",
                "env.UID|{\"UID\":\"1\"}"
            })
    void aBadVariableIsNamed(String field, String env) {
        var reply = post(with("env", env));
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo(field);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "gpu_count|1",
                "gpu_count|-1",
                "gpu_count|\"1-2\"",
                "min_gpu|1",
                "max_gpu|1",
                "gpu_type|\"A\"",
                "memory_gb|1"
            })
    void aCpuTaskCannotAskForCards(String field, String value) {
        var reply =
                post(
                        "{\"name\":\"n\",\"command\":\"true\",\"devices\":\"cpu\",\""
                                + field
                                + "\":"
                                + value
                                + "}");
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo(field);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{",
                "{\"name\":}",
                "{'name':'x'}",
                "[]",
                "\"x\"",
                "7",
                "null",
                "nonsense",
                "{} {}",
                "{\"name\":\"a\",\"name\":\"b\",\"command\":\"true\"}",
                "{\"name\":\"a\",}",
                "{\"gpu_count\":NaN}",
                "{\"gpu_count\":01}",
                "{\"a\":\"\t\"}",
                "// hello"
            })
    void brokenJsonIsRefused(String body) {
        var reply = post(body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.code()).startsWith("json.");
    }

    @Test
    void invalidJsonIsRejectedWithItsPosition() {
        var detail = post("{\n  \"name\": oops\n}").json().get("detail").asString();
        assertThat(detail).contains("line 2").contains("column");
    }

    @Test
    void deeplyNestedJsonIsRejected() {
        assertThat(post("[".repeat(100_000)).status()).isEqualTo(400);
        var deep = post("{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000));
        assertThat(deep.status()).isEqualTo(400);
        assertThat(deep.json().get("detail").asString())
                .contains("nesting depth")
                .doesNotContain("Constraints");
        assertThat(post("{\"gpu_count\":" + "9".repeat(100_000) + "}").status()).isEqualTo(400);
    }

    @Test
    void invalidUtf8IsRejected() {
        for (var bytes :
                List.of(
                        new byte[] {'{', (byte) 0xff, '}'},
                        new byte[] {(byte) 0xc0, (byte) 0x80})) {
            var reply = server.socket().send("POST", "/api/tasks", List.of(), bytes);
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.code()).isEqualTo("body.not_utf8");
        }
        var wide = "{\"name\":\"n\",\"command\":\"true\"}".getBytes(StandardCharsets.UTF_16BE);
        assertThat(server.socket().send("POST", "/api/tasks", List.of(), wide).status())
                .isEqualTo(400);
    }

    @Test
    void missingBodyIsRejectedWithItsFirstField() {
        assertThat(post("").field()).isEqualTo("name");
        assertThat(post("{}").field()).isEqualTo("name");
        assertThat(post("{\"name\":\"n\"}").field()).isEqualTo("command");
    }

    @Test
    void tooLongValuesAreRejectedWithTheLimit() {
        var command = post(with("command", "\"" + "x".repeat(2 << 20) + "\""));
        assertThat(command.status()).isEqualTo(422);
        assertThat(command.field()).isEqualTo("command");
        assertThat(command.json().get("detail").asString()).contains("1 MiB");
        assertThat(post(with("name", "\"" + "x".repeat(201) + "\"")).field()).isEqualTo("name");
        assertThat(post(with("env", "{\"A\":\"" + "x".repeat(128 << 10) + "\"}")).field())
                .isEqualTo("env");
    }

    @Test
    void hugeBodyIsRejectedOnSocketAndPort() {
        var huge = with("command", "\"" + "x".repeat(9 << 20) + "\"");
        for (var entrance : List.of(server.socket(), server.tcp())) {
            var reply = entrance.post("/api/tasks", huge);
            assertThat(reply.status()).isEqualTo(413);
            assertThat(reply.json().get("detail").asString()).contains("4 MiB").contains("command");
        }
        var chunked =
                "POST /api/tasks HTTP/1.1\r\n"
                        + "Host: localhost\r\n"
                        + "Connection: close\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n"
                        + "800000\r\n"
                        + "x".repeat(8 << 20)
                        + "\r\n0\r\n\r\n";
        var reply =
                TestHttpClient.parse(server.socket().raw(chunked.getBytes(StandardCharsets.UTF_8)));
        assertThat(reply.status()).isEqualTo(413);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{\"name\": NaN}",
                "{\"name\": [1}",
                "{\"name\": 1]",
                "{\"name\": 'x'}",
                "{\"name\": 01}",
                "{\"name\": 1} x",
                "{\"name\": 1,}",
                "{\"name\": \"a\nb\"}",
                "{// name\n}",
                "{\"name\": \"\\x\"}"
            })
    void aBodyThatIsNotJsonIsExplainedWithoutTheOptionsOfTheParser(String body) {
        var reply = post(body);
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.json().get("detail").asString())
                .startsWith("The body is not valid JSON (line 1, column ")
                .doesNotContain("Source", "Feature", "Constraints", "UNKNOWN", "`");
    }

    @Test
    void misspelledNameIsAnsweredWithASuggestion() {
        assertThat(post(with("nmae", "1")).json().get("detail").asString())
                .contains("Did you mean name?");
        assertThat(post(with("gpus_count", "1")).json().get("params").get("nearest").asString())
                .isEqualTo("gpu_count");
        assertThat(post(with("colour", "1")).json().get("detail").asString()).contains("work_dir");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/tasks/abc, 422",
        "GET, /api/tasks/0, 422",
        "GET, /api/tasks/-1, 422",
        "GET, /api/tasks/1.5, 422",
        "GET, /api/tasks/%00, 4",
        "GET, /api/tasks/999999, 404",
        "GET, /api/tasks/999999999999999999, 404",
        "GET, /api/tasks/99999999999999999999, 422",
        "GET, /api/tasks/abc/logs, 422",
        "GET, /api/tasks/999999/logs, 404",
        "GET, /api/tasks/abc/wait, 422",
        "GET, /api/tasks/999999/wait, 404",
        "POST, /api/tasks/abc/cancel, 422",
        "POST, /api/tasks/999999/cancel, 404",
        "POST, /api/tasks/abc/clone, 422",
        "POST, /api/tasks/999999/clone, 404",
        "PATCH, /api/tasks/999999, 422",
        "GET, /api/tasks/999999/placement, 404",
        "GET, /api/queue?limit=1001, 422",
        "GET, /api/queue/position/999999, 404",
        "PUT, /api/scheduler, 405",
        "GET, /experiments/, 405",
        "GET, /api/tasks?status=bad, 422",
        "GET, /api/tasks?source=bad, 422",
        "GET, /api/tasks?limit=0, 422",
        "GET, /api/tasks?limit=-1, 422",
        "GET, /api/tasks?limit=1001, 422",
        "GET, /api/tasks?limit=x, 422",
        "GET, /api/tasks?before=0, 422",
        "GET, /api/tasks?before=9223372036854775807, 200",
        "GET, /api/tasks?before=9223372036854775808, 422",
        "GET, /api/tasks?status, 422",
        "GET, /api/tasks?status=%zz, 400",
        "GET, /api/tasks?limit=%ff, 4",
        "GET, /api/tasks/1/wait?seconds=61, 422",
        "GET, /api/tasks/1/wait?seconds=-1, 422",
        "GET, /api/events/log?after=-1, 422",
        "GET, /api/events/log?limit=0, 422",
        "GET, //api/tasks, 400",
        "GET, /api/../api/tasks, 200",
        "GET, /api/tasks/%2e%2e%2ftasks, 400",
    })
    void aBadAddressIsRefused(String method, String path, String status) {
        var reply = server.socket().send(method, path, List.of(), new byte[0]);
        assertThat(Integer.toString(reply.status())).as(reply.text()).startsWith(status);
        assertThat(reply.json().isContainer()).isTrue();
    }

    @Test
    void unexpectedBodyIsRejected() {
        assertThat(server.socket().post("/api/tasks/1/cancel", "{\"force\":true}").field())
                .isEqualTo("force");
        assertThat(server.socket().post("/api/tasks/1/clone", "{\"command\":\"x\"}").field())
                .isEqualTo("command");
        assertThat(server.socket().post("/api/tasks/1/cancel", "{").status()).isEqualTo(400);
    }

    @Test
    void acceptsAnyContentTypeWithAJsonBody() {
        for (var type : List.of("Content-Type: text/plain", "Content-Type: ;;;", "X-None: 1")) {
            var reply = server.socket().post("/api/tasks", with("gpu_count", "0"), type);
            assertThat(reply.field()).isEqualTo("gpu_count");
        }
    }
}
