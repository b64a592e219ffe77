package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The description is well formed, complete, and true of what the routes do. */
class OpenApiTest {

    private static Premises premises;
    private static JsonNode api;

    @BeforeAll
    static void open() throws Exception {
        premises = Premises.open();
        Files.createDirectories(premises.home.resolve("logs"));
        api = premises.socket().get("/api/openapi.json").json();
    }

    @AfterAll
    static void close() throws Exception {
        premises.close();
    }

    @Test
    void everyRouteIsThere() {
        var routes = new TreeSet<String>();
        api.get("paths")
                .propertyStream()
                .forEach(
                        path ->
                                path.getValue()
                                        .propertyNames()
                                        .forEach(
                                                method ->
                                                        routes.add(method + " " + path.getKey())));
        assertThat(routes)
                .containsExactly(
                        "delete /api/commands/{mode}/{index}",
                        "delete /api/tokens/{id}",
                        "get /api/alerts",
                        "get /api/cleanup",
                        "get /api/commands/{mode}",
                        "get /api/commands/{mode}/all",
                        "get /api/commands/{mode}/list",
                        "get /api/config",
                        "get /api/events",
                        "get /api/events/log",
                        "get /api/gpus",
                        "get /api/gpus/{id}/history",
                        "get /api/health",
                        "get /api/log/bindings",
                        "get /api/log/content",
                        "get /api/log/read",
                        "get /api/me",
                        "get /api/openapi.json",
                        "get /api/queue",
                        "get /api/queue/peek",
                        "get /api/queue/position/{id}",
                        "get /api/receivers",
                        "get /api/rule",
                        "get /api/scheduler",
                        "get /api/scheduler/run/{pid}",
                        "get /api/scheduler/running",
                        "get /api/scheduler/{mode}/state",
                        "get /api/server",
                        "get /api/setting",
                        "get /api/tasks",
                        "get /api/tasks/{id}",
                        "get /api/tasks/{id}/history",
                        "get /api/tasks/{id}/logs",
                        "get /api/tasks/{id}/logs/stream",
                        "get /api/tasks/{id}/placement",
                        "get /api/tasks/{id}/wait",
                        "get /api/tokens",
                        "get /api/usage",
                        "get /experiments/queue-status/",
                        "get /metrics",
                        "patch /api/tasks/{id}",
                        "post /api/cleanup",
                        "post /api/commands/{mode}/new",
                        "post /api/gpus/{id}/quarantine",
                        "post /api/gpus/{id}/recover",
                        "post /api/log/bind",
                        "post /api/login/links",
                        "post /api/logout",
                        "post /api/receivers/{name}/test",
                        "post /api/scheduler/start",
                        "post /api/scheduler/stop",
                        "post /api/scheduler/stop/{pid}",
                        "post /api/scheduler/{mode}/start",
                        "post /api/scheduler/{mode}/stop",
                        "post /api/tasks",
                        "post /api/tasks/batch",
                        "post /api/tasks/{id}/cancel",
                        "post /api/tasks/{id}/clone",
                        "post /api/tokens",
                        "post /experiments/",
                        "post /experiments/{id}/queue/",
                        "post /experiments/{id}/start/",
                        "put /api/commands/{mode}",
                        "put /api/rule",
                        "put /api/setting");
    }

    @Test
    void itIsWellFormed() {
        assertThat(api.get("openapi").asString()).isEqualTo("3.1.0");
        assertThat(api.get("info").get("version").asString()).isEqualTo(Premises.VERSION);
        var ids = new ArrayList<String>();
        api.get("paths")
                .propertyStream()
                .forEach(
                        path ->
                                path.getValue()
                                        .forEach(
                                                operation -> {
                                                    ids.add(
                                                            operation
                                                                    .get("operationId")
                                                                    .asString());
                                                    assertThat(operation.get("summary").asString())
                                                            .isNotBlank();
                                                    var inPath =
                                                            operation
                                                                    .get("parameters")
                                                                    .valueStream()
                                                                    .filter(
                                                                            parameter ->
                                                                                    parameter
                                                                                            .get(
                                                                                                    "in")
                                                                                            .asString()
                                                                                            .equals(
                                                                                                    "path"))
                                                                    .map(
                                                                            parameter ->
                                                                                    "{"
                                                                                            + parameter
                                                                                                    .get(
                                                                                                            "name")
                                                                                                    .asString()
                                                                                            + "}")
                                                                    .toList();
                                                    assertThat(inPath)
                                                            .allSatisfy(
                                                                    name ->
                                                                            assertThat(
                                                                                            path
                                                                                                    .getKey())
                                                                                    .contains(
                                                                                            name));
                                                    assertThat(
                                                                    path.getKey()
                                                                            .chars()
                                                                            .filter(c -> c == '{')
                                                                            .count())
                                                            .isEqualTo(inPath.size());
                                                    operation
                                                            .get("responses")
                                                            .propertyStream()
                                                            .forEach(
                                                                    response -> {
                                                                        assertThat(
                                                                                        response
                                                                                                .getKey())
                                                                                .matches(
                                                                                        "[1-5][0-9][0-9]");
                                                                        assertThat(
                                                                                        response.getValue()
                                                                                                .get(
                                                                                                        "description")
                                                                                                .asString())
                                                                                .isNotBlank();
                                                                    });
                                                }));
        assertThat(ids).doesNotHaveDuplicates();
        for (var reference : api.findValuesAsString("$ref")) {
            assertThat(api.at(reference.substring(1)).isMissingNode()).as(reference).isFalse();
        }
    }

    @Test
    void schemasSayWhatMayBeNull() {
        var detail = api.at("/components/schemas/TaskDetail");
        assertThat(detail.at("/properties/exit_code/type").toString())
                .isEqualTo("[\"integer\",\"null\"]");
        assertThat(detail.at("/properties/structure_n_atoms").isMissingNode()).isFalse();
        assertThat(detail.get("required").toString())
                .contains("\"name\"")
                .doesNotContain("exit_code");
        assertThat(api.at("/components/schemas/TaskCreate/required").toString())
                .isEqualTo("[\"name\",\"command\"]");
        assertThat(api.at("/components/schemas/Reason/properties/parts/items/$ref").asString())
                .endsWith("/Reason");
    }

    @Test
    void everyRouteAnswersAsDescribed() {
        long task = premises.submit(Premises.cpuTask("described"));
        var both = Map.of("name", "both", "command", "true", "gpu_count", 2);
        premises.submit(Premises.body(both));
        long waiting = premises.submit(Premises.body(both));
        var draft = Premises.body(Map.of("name", "draft", "command", "true"));
        long busy = premises.socket().post("/experiments/", draft).json().get("id").asLong();
        var tries =
                Stream.concat(
                                laneTries(),
                                Stream.of(
                                        new Try("GET", "/api/config", "/api/config", "", 200),
                                        new Try(
                                                "POST",
                                                "/api/tokens",
                                                "/api/tokens",
                                                "{\"name\":\"a\"}",
                                                201),
                                        new Try("GET", "/api/tokens", "/api/tokens", "", 200),
                                        new Try(
                                                "DELETE",
                                                "/api/tokens/{id}",
                                                "/api/tokens/1",
                                                "",
                                                200),
                                        new Try("GET", "/api/me", "/api/me", "", 200),
                                        new Try(
                                                "POST",
                                                "/api/login/links",
                                                "/api/login/links",
                                                "",
                                                201),
                                        new Try("POST", "/api/logout", "/api/logout", "", 409),
                                        new Try(
                                                "GET",
                                                "/api/events",
                                                "/api/events?log=999",
                                                "",
                                                404),
                                        new Try(
                                                "GET",
                                                "/api/tasks/{id}/logs/stream",
                                                "/api/tasks/999/logs/stream",
                                                "",
                                                404),
                                        new Try(
                                                "GET",
                                                "/api/events/log",
                                                "/api/events/log",
                                                "",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/events/log",
                                                "/api/events/log?limit=x",
                                                "",
                                                422),
                                        new Try("GET", "/api/alerts", "/api/alerts", "", 200),
                                        new Try("GET", "/api/receivers", "/api/receivers", "", 200),
                                        new Try(
                                                "POST",
                                                "/api/receivers/{name}/test",
                                                "/api/receivers/nobody/test",
                                                "",
                                                404),
                                        new Try("GET", "/api/cleanup", "/api/cleanup", "", 200),
                                        new Try("POST", "/api/cleanup", "/api/cleanup", "", 200),
                                        new Try(
                                                "POST",
                                                "/api/cleanup",
                                                "/api/cleanup",
                                                "{\"x\":1}",
                                                422),
                                        new Try("GET", "/api/gpus", "/api/gpus", "", 200),
                                        new Try(
                                                "POST",
                                                "/api/gpus/{id}/quarantine",
                                                "/api/gpus/1/quarantine",
                                                "{\"reason\":\"a fan\"}",
                                                200),
                                        new Try(
                                                "POST",
                                                "/api/gpus/{id}/recover",
                                                "/api/gpus/1/recover",
                                                "{\"force\":true}",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/gpus/{id}/history",
                                                "/api/gpus/0/history",
                                                "",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/tasks/{id}/history",
                                                "/api/tasks/" + task + "/history",
                                                "",
                                                200),
                                        new Try("GET", "/api/usage", "/api/usage", "", 200),
                                        new Try("GET", "/api/health", "/api/health", "", 200),
                                        new Try("GET", "/metrics", "/metrics?x=1", "", 422),
                                        new Try(
                                                "GET",
                                                "/api/openapi.json",
                                                "/api/openapi.json",
                                                "",
                                                200),
                                        new Try("GET", "/api/server", "/api/server", "", 200),
                                        new Try("GET", "/api/tasks", "/api/tasks?limit=1", "", 200),
                                        new Try(
                                                "GET",
                                                "/api/tasks/{id}",
                                                "/api/tasks/" + task,
                                                "",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/tasks/{id}",
                                                "/api/tasks/999",
                                                "",
                                                404),
                                        new Try(
                                                "GET",
                                                "/api/tasks/{id}/logs",
                                                "/api/tasks/" + task + "/logs",
                                                "",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/tasks/{id}/wait",
                                                "/api/tasks/" + task + "/wait?seconds=0",
                                                "",
                                                200),
                                        new Try(
                                                "POST",
                                                "/api/tasks",
                                                "/api/tasks",
                                                Premises.cpuTask("more"),
                                                201),
                                        new Try("POST", "/api/tasks", "/api/tasks", "{", 400),
                                        new Try("POST", "/api/tasks", "/api/tasks", "{}", 422),
                                        new Try(
                                                "POST",
                                                "/api/tasks/{id}/clone",
                                                "/api/tasks/" + task + "/clone",
                                                "",
                                                201),
                                        new Try("GET", "/api/queue", "/api/queue", "", 200),
                                        new Try(
                                                "GET",
                                                "/api/queue/peek",
                                                "/api/queue/peek",
                                                "",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/queue/position/{id}",
                                                "/api/queue/position/" + waiting,
                                                "",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/tasks/{id}/placement",
                                                "/api/tasks/" + waiting + "/placement",
                                                "",
                                                200),
                                        new Try(
                                                "PATCH",
                                                "/api/tasks/{id}",
                                                "/api/tasks/" + waiting,
                                                "{\"name\":\"other\"}",
                                                200),
                                        new Try(
                                                "POST",
                                                "/api/tasks/batch",
                                                "/api/tasks/batch",
                                                "[" + Premises.cpuTask("b") + "]",
                                                201),
                                        new Try("GET", "/api/scheduler", "/api/scheduler", "", 200),
                                        new Try(
                                                "POST",
                                                "/api/scheduler/{mode}/start",
                                                "/api/scheduler/single/start",
                                                "{\"content\":\"1\\n"
                                                        + "true\\n"
                                                        + "1\",\"command_file\":\"/x\"}",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/scheduler/{mode}/state",
                                                "/api/scheduler/single/state",
                                                "",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/scheduler/running",
                                                "/api/scheduler/running",
                                                "",
                                                200),
                                        new Try(
                                                "GET",
                                                "/api/scheduler/run/{pid}",
                                                "/api/scheduler/run/1",
                                                "",
                                                200),
                                        new Try(
                                                "POST",
                                                "/api/scheduler/{mode}/stop",
                                                "/api/scheduler/single/stop",
                                                "",
                                                409),
                                        new Try(
                                                "POST",
                                                "/api/scheduler/stop/{pid}",
                                                "/api/scheduler/stop/1",
                                                "",
                                                200),
                                        new Try(
                                                "POST",
                                                "/api/scheduler/stop",
                                                "/api/scheduler/stop",
                                                "",
                                                200),
                                        new Try(
                                                "POST",
                                                "/api/scheduler/start",
                                                "/api/scheduler/start",
                                                "",
                                                200),
                                        new Try(
                                                "GET",
                                                "/experiments/queue-status/",
                                                "/experiments/queue-status/",
                                                "",
                                                200),
                                        new Try(
                                                "POST",
                                                "/experiments/",
                                                "/experiments/",
                                                draft,
                                                201),
                                        new Try(
                                                "POST",
                                                "/experiments/{id}/start/",
                                                "/experiments/" + busy + "/start/",
                                                "{}",
                                                409),
                                        new Try(
                                                "POST",
                                                "/experiments/{id}/queue/",
                                                "/experiments/" + busy + "/queue/",
                                                "",
                                                200),
                                        new Try(
                                                "POST",
                                                "/api/tasks/{id}/cancel",
                                                "/api/tasks/" + task + "/cancel",
                                                "",
                                                200)))
                        .toList();
        var tried = new TreeSet<String>();
        for (var one : tries) {
            tried.add(one.method().toLowerCase(java.util.Locale.ROOT) + " " + one.pattern());
            var reply =
                    premises.socket()
                            .send(
                                    one.method(),
                                    one.path(),
                                    List.of(),
                                    one.body().getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertThat(reply.status()).as(one + " " + reply).isEqualTo(one.status());
            var schema =
                    api.get("paths")
                            .get(one.pattern())
                            .get(one.method().toLowerCase(java.util.Locale.ROOT))
                            .at("/responses/" + one.status() + "/content/application~1json/schema");
            assertThat(schema.isMissingNode()).as("described: " + one).isFalse();
            conforms(one.toString(), reply.json(), schema);
        }
        assertThat(tried)
                .hasSize((int) api.get("paths").valueStream().mapToLong(JsonNode::size).sum());
    }

    private record Try(String method, String pattern, String path, String body, int status) {}

    private static Stream<Try> laneTries() {
        var one = "/api/commands/{mode}";
        var single = "/api/commands/single";
        var good = Premises.body(Map.of("content", "1\necho a\n20\n"));
        var bad = Premises.body(Map.of("content", "1\necho a\n"));
        var place = Map.of("mode", "single", "config_index", 0, "queue_id", 1, "task_index", 0);
        var bind = new TreeMap<String, Object>(place);
        bind.put("log_path", "logs/a.log");
        var content = "/api/log/content?mode=single&queue_id=1&task_index=0";
        return Stream.of(
                new Try("GET", "/api/rule", "/api/rule", "", 200),
                new Try("PUT", "/api/rule", "/api/rule", "{\"gpu_left\":2}", 200),
                new Try("GET", "/api/setting", "/api/setting", "", 200),
                new Try("PUT", "/api/setting", "/api/setting", "{\"port\":1}", 200),
                new Try("GET", one, single, "", 404),
                new Try("PUT", one, single, good, 200),
                new Try("PUT", one, single, bad, 400),
                new Try("PUT", one, single, "{", 400),
                new Try("PUT", one, single, "{}", 422),
                new Try("POST", "/api/commands/{mode}/new", single + "/new", good, 201),
                new Try("GET", one, single, "", 200),
                new Try("GET", "/api/commands/{mode}/list", single + "/list", "", 200),
                new Try("POST", "/api/log/bind", "/api/log/bind", Premises.body(bind), 200),
                new Try("GET", "/api/commands/{mode}/all", single + "/all", "", 200),
                new Try("GET", "/api/log/bindings", "/api/log/bindings", "", 200),
                new Try("GET", "/api/log/content", content, "", 404),
                new Try("GET", "/api/log/read", "/api/log/read?path=/etc/passwd", "", 403),
                new Try("DELETE", "/api/commands/{mode}/{index}", single + "/1", "", 200));
    }

    private static void conforms(String where, JsonNode value, JsonNode schema) {
        if (schema.has("$ref")) {
            conforms(where, value, api.at(schema.get("$ref").asString().substring(1)));
        } else if (schema.has("anyOf")) {
            if (!value.isNull()) {
                conforms(where, value, schema.get("anyOf").get(0));
            }
        } else if (!schema.isEmpty()) {
            assertThat(types(schema)).as(where + " is " + value).contains(type(value));
            if (schema.has("items")) {
                value.forEach(item -> conforms(where + "[]", item, schema.get("items")));
            }
            if (schema.has("properties") && value.isObject()) {
                members(where, value, schema);
            }
        }
    }

    private static void members(String where, JsonNode value, JsonNode schema) {
        assertThat(schema.get("properties").propertyNames())
                .as(where)
                .containsAll(value.propertyNames());
        schema.get("required")
                .forEach(
                        name ->
                                assertThat(value.has(name.asString()))
                                        .as(where + "." + name)
                                        .isTrue());
        value.propertyStream()
                .forEach(
                        member ->
                                conforms(
                                        where + "." + member.getKey(),
                                        member.getValue(),
                                        schema.get("properties").get(member.getKey())));
    }

    private static List<String> types(JsonNode schema) {
        var type = schema.get("type");
        var words =
                type.isArray()
                        ? type.valueStream().map(JsonNode::asString).toList()
                        : List.of(type.asString());
        // Every whole number is a number.
        return words.contains("number")
                ? Stream.concat(words.stream(), Stream.of("integer")).toList()
                : words;
    }

    private static String type(JsonNode value) {
        return switch (value.getNodeType()) {
            case ARRAY -> "array";
            case BOOLEAN -> "boolean";
            case NULL -> "null";
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            case OBJECT -> "object";
            case STRING -> "string";
            case BINARY, MISSING, POJO -> throw new AssertionError("no JSON: " + value);
        };
    }
}
