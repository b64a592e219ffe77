package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The description is well formed, complete, and matches what the routes do. */
class OpenApiTest {

    private static TestServer server;
    private static JsonNode api;
    private static DescribedCalls calls;

    @BeforeAll
    static void open() throws Exception {
        server = TestServer.open();
        Files.createDirectories(server.home.resolve("logs"));
        api = server.socket().get("/api/openapi.json").json();
        calls = DescribedCalls.on(server);
    }

    @AfterAll
    static void close() throws Exception {
        server.close();
    }

    @Test
    void everyRouteIsThere() {
        assertThat(routes())
                .containsExactly(
                        "delete /api/commands/{mode}/{index}",
                        "delete /api/learned",
                        "delete /api/learned/{fingerprint}",
                        "delete /api/models/{name}",
                        "delete /api/reservations/{id}",
                        "delete /api/tasks",
                        "delete /api/tasks/{id}",
                        "delete /api/tokens/{id}",
                        "get /api/alerts",
                        "get /api/audit",
                        "get /api/cleanup",
                        "get /api/commands/{mode}",
                        "get /api/commands/{mode}/all",
                        "get /api/commands/{mode}/list",
                        "get /api/config",
                        "get /api/events",
                        "get /api/events/log",
                        "get /api/gpus",
                        "get /api/gpus/history",
                        "get /api/gpus/{id}/history",
                        "get /api/health",
                        "get /api/learned",
                        "get /api/log/bindings",
                        "get /api/log/content",
                        "get /api/log/read",
                        "get /api/me",
                        "get /api/models",
                        "get /api/models/{name}",
                        "get /api/nodes",
                        "get /api/openapi.json",
                        "get /api/people",
                        "get /api/queue",
                        "get /api/queue/peek",
                        "get /api/queue/position/{id}",
                        "get /api/receivers",
                        "get /api/reservations",
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
                        "get /api/tasks/{id}/logs/raw",
                        "get /api/tasks/{id}/logs/search",
                        "get /api/tasks/{id}/logs/section",
                        "get /api/tasks/{id}/logs/stream",
                        "get /api/tasks/{id}/placement",
                        "get /api/tasks/{id}/wait",
                        "get /api/tasks/{id}/why",
                        "get /api/timeline",
                        "get /api/tokens",
                        "get /api/usage",
                        "get /api/workers",
                        "get /experiments/queue-status/",
                        "get /metrics",
                        "patch /api/people/{user}",
                        "patch /api/tasks/{id}",
                        "post /api/backup",
                        "post /api/cleanup",
                        "post /api/commands/{mode}/new",
                        "post /api/gpus/{id}/quarantine",
                        "post /api/gpus/{id}/recover",
                        "post /api/log/bind",
                        "post /api/login",
                        "post /api/login/links",
                        "post /api/logout",
                        "post /api/models/{name}/load",
                        "post /api/models/{name}/unload",
                        "post /api/receivers/{name}/test",
                        "post /api/reservations",
                        "post /api/scheduler/start",
                        "post /api/scheduler/stop",
                        "post /api/scheduler/stop/{pid}",
                        "post /api/scheduler/{mode}/start",
                        "post /api/scheduler/{mode}/stop",
                        "post /api/tasks",
                        "post /api/tasks/batch",
                        "post /api/tasks/preview",
                        "post /api/tasks/{id}/cancel",
                        "post /api/tasks/{id}/clone",
                        "post /api/tasks/{id}/resolve",
                        "post /api/tokens",
                        "post /experiments/",
                        "post /experiments/{id}/queue/",
                        "post /experiments/{id}/start/",
                        "put /api/commands/{mode}",
                        "put /api/models/{name}",
                        "put /api/rule",
                        "put /api/setting");
    }

    @Test
    void itIsWellFormed() {
        assertThat(api.get("openapi").asString()).isEqualTo("3.1.0");
        assertThat(api.get("info").get("version").asString()).isEqualTo(TestServer.VERSION);
        var ids = new ArrayList<String>();
        api.get("paths")
                .forEachEntry(
                        (path, operations) ->
                                operations.forEach(
                                        operation -> {
                                            ids.add(operation.get("operationId").asString());
                                            isWellFormed(path, operation);
                                        }));
        assertThat(ids).doesNotHaveDuplicates();
        for (var reference : api.findValuesAsString("$ref")) {
            assertThat(api.at(reference.substring(1)).isMissingNode()).as(reference).isFalse();
        }
    }

    private static void isWellFormed(String path, JsonNode operation) {
        assertThat(operation.get("summary").asString()).isNotBlank();
        var inPath = pathParameters(operation);
        assertThat(inPath).allSatisfy(name -> assertThat(path).contains(name));
        assertThat(path.chars().filter(c -> c == '{').count()).isEqualTo(inPath.size());
        operation
                .get("responses")
                .forEachEntry(
                        (status, response) -> {
                            assertThat(status).matches("[1-5][0-9][0-9]");
                            assertThat(response.get("description").asString()).isNotBlank();
                        });
    }

    /** The names of the parameters in the path, in braces. */
    private static List<String> pathParameters(JsonNode operation) {
        return operation
                .get("parameters")
                .valueStream()
                .filter(parameter -> parameter.get("in").asString().equals("path"))
                .map(parameter -> "{" + parameter.get("name").asString() + "}")
                .toList();
    }

    /** Every described route: lower-case method, then path. */
    private static TreeSet<String> routes() {
        var routes = new TreeSet<String>();
        api.get("paths")
                .forEachEntry(
                        (path, operations) ->
                                operations
                                        .propertyNames()
                                        .forEach(method -> routes.add(method + " " + path)));
        return routes;
    }

    @Test
    void schemasSayWhatMayBeNull() {
        var detail = api.at("/components/schemas/TaskDetail");
        assertThat(detail.at("/properties/exit_code/type").toString())
                .isEqualTo("[\"integer\",\"null\"]");
        assertThat(detail.at("/properties/structure_n_atoms").isMissingNode()).isFalse();
        assertThat(detail.get("required").toString()).contains("\"name\"", "\"exit_code\"");
        assertThat(api.at("/components/schemas/Health/required").toString())
                .isEqualTo("[\"status\"]");
        assertThat(api.at("/components/schemas/TaskCreate/required").toString())
                .isEqualTo("[\"name\"]");
        assertThat(api.at("/components/schemas/Reason/properties/parts/items/$ref").asString())
                .endsWith("/Reason");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("groups")
    void everyRouteAnswersAsDescribed(DescribedCalls.Group group) {
        assertThat(group.calls()).isNotEmpty().allSatisfy(OpenApiTest::answersAsDescribed);
    }

    @Test
    void everyDescribedRouteIsCalled() {
        var called = new TreeSet<String>();
        groups().forEach(group -> group.calls().forEach(call -> called.add(call.route())));
        assertThat(called).containsExactlyElementsOf(routes());
        assertThat(called)
                .hasSize((int) api.get("paths").valueStream().mapToLong(JsonNode::size).sum());
    }

    static List<DescribedCalls.Group> groups() {
        return calls.groups();
    }

    private static void answersAsDescribed(DescribedCalls.Call call) {
        var body = call.body().getBytes(StandardCharsets.UTF_8);
        var reply = server.socket().send(call.method(), call.path(), List.of(), body);
        assertThat(reply.status()).as(call + " " + reply).isEqualTo(call.status());
        var schema =
                api.get("paths")
                        .get(call.pattern())
                        .get(call.operation())
                        .at("/responses/" + call.status() + "/content/application~1json/schema");
        assertThat(schema.isMissingNode()).as("described: " + call).isFalse();
        conforms(call.toString(), reply.json(), schema);
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
        // An integer is also a number.
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
