package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Every route answers as version 0.1.0 did: the same status, the same fields in the same order, the
 * same values. Sentences may improve, so {@code detail} is not compared, and {@code params} may
 * have more values than recorded.
 *
 * <p>With {@code -Dberth.record=FILE} the answers are written there instead.
 */
@ExtendWith(ServerHarnessExtension.class)
final class RecordedApiTest {

    private static final Pattern TIME =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");

    /** Fields whose values depend on the machine or the moment. */
    private static final Set<String> VARYING =
            Set.of(
                    "pid",
                    "version",
                    "url",
                    "token",
                    "t",
                    "score",
                    "uni_id",
                    "gpus",
                    "assigned_gpus",
                    "temperature_c",
                    "memory_used_mb",
                    "memory_free_mb",
                    "headroom_mb",
                    "utilization",
                    "utilization_percent",
                    "mean_utilization_percent",
                    "mean_utilization",
                    "peak_utilization",
                    "waited_ms",
                    "work_dir",
                    "tracking",
                    "next_offset",
                    "used_mb",
                    "free_mb",
                    "usage",
                    "points",
                    "total",
                    "users",
                    "lines",
                    // The parameters of a route, in the answer to an unknown one.
                    "known",
                    // Facts about the machine that runs the test.
                    "addresses",
                    "hostname",
                    "java",
                    "system");

    /** Sentences for people. */
    private static final Set<String> TEXTS =
            Set.of("detail", "advice", "message", "about", "problems", "expected", "help");

    /** Keys of the configuration that 0.1.0 did not have, or whose default or effect is another. */
    private static final Set<String> NEW_KEYS =
            Set.of(
                    "message_language",
                    "backfill",
                    "tls_cert",
                    "tls_key",
                    "smtp.auth",
                    "keep_days",
                    "keep_tasks",
                    "backup_keep",
                    "backup_hour",
                    "prewarm_models",
                    "scheduler.worker_heartbeat_interval_seconds",
                    "scheduler.worker_heartbeat_timeout_seconds",
                    "scheduler.worker_load_timeout_seconds",
                    "scheduler.affinity_wait",
                    "command_policy.allow",
                    "command_policy.deny",
                    "command_policy.message",
                    "admins",
                    "admin_group",
                    "viewers",
                    "viewer_group",
                    "user_group",
                    "default_role",
                    "others_see",
                    "pam_service",
                    "proxy_user_header",
                    "proxy_user",
                    "limits.default.max_gpus",
                    "limits.default.max_running",
                    "limits.default.max_queued",
                    "limits.default.max_hours",
                    "limits.default.max_priority",
                    "limits.default.gpu_hours_per_day",
                    "count_outside",
                    "engine",
                    "shim",
                    "slurm.shared_dir",
                    "slurm.window",
                    "slurm.partition",
                    "slurm.account",
                    "slurm.qos",
                    "slurm.options",
                    "slurm.gpu_types",
                    "slurm.heal");

    private static final String USER = System.getProperty("user.name");

    @Test
    void everyRouteAnswersAsItDidIn010(ServerHarness world) throws IOException {
        world.options("--gpus", "sim:2x24576", "--auth", "none");
        var api = world.start();
        var answers = new ArrayList<String>();
        for (var line : resource("requests.txt")) {
            if (line.startsWith("until ")) {
                await(api, line.split(" ", 4));
            } else if (!line.startsWith("#")) {
                answers.add(line + "\n" + answer(world, api, line.split(" ", 3)));
            }
        }
        var record = System.getProperty("berth.record");
        if (record != null) {
            Files.write(Path.of(record), answers);
            return;
        }
        var recorded = pairs(resource("answers.txt"));
        assertThat(answers).hasSameSizeAs(recorded);
        var differences = new ArrayList<String>();
        for (int i = 0; i < answers.size(); i++) {
            var expected = compared(recorded.get(i));
            var answer = compared(recordedFields(recorded.get(i), answers.get(i)));
            if (!answer.equals(expected)) {
                differences.add("\nrecorded " + expected + "\nnow      " + answer);
            }
        }
        assertThat(differences).isEmpty();
    }

    private static void await(TestApi api, String[] words) {
        eventually(
                String.join(" ", words),
                () -> {
                    var value = api.client().get(words[1]).json().at(words[2]);
                    return value.asString().equals(words[3]);
                });
    }

    private static String answer(ServerHarness world, TestApi api, String[] words) {
        var body = words.length == 3 ? words[2] : "";
        var answer =
                api.client()
                        .send(
                                new TestClient.TestRequest(
                                        words[0],
                                        words[1],
                                        Map.of("Content-Type", "application/json"),
                                        body));
        var text =
                answer.body()
                        .replace(world.home().toString(), "<home>")
                        .replace(world.home().getParent().toString(), "<root>")
                        .replace(world.url(), "<url>");
        return answer.status() + " " + text.strip();
    }

    /** Two lines of the file are one request with its answer. */
    private static List<String> pairs(List<String> lines) {
        var pairs = new ArrayList<String>();
        for (int i = 0; i + 1 < lines.size(); i += 2) {
            pairs.add(lines.get(i) + "\n" + lines.get(i + 1));
        }
        return pairs;
    }

    /** The answer without the fields and params that were not recorded: new ones are allowed. */
    private static String recordedFields(String recorded, String answer) {
        int body = answer.indexOf(' ', answer.indexOf('\n')) + 1;
        try {
            var now = TestClient.JSON.readTree(answer.substring(body));
            var then =
                    TestClient.JSON.readTree(
                            recorded.substring(recorded.indexOf(' ', recorded.indexOf('\n')) + 1));
            dropNew(then, now);
            return answer.substring(0, body) + now;
        } catch (JacksonException _) {
            return answer;
        }
    }

    private static void dropNew(JsonNode then, JsonNode now) {
        if (then instanceof ObjectNode before && now instanceof ObjectNode after) {
            for (var name : List.copyOf(after.propertyNames())) {
                if (name.equals("params")
                        && before.get(name) instanceof ObjectNode known
                        && after.get(name) instanceof ObjectNode params) {
                    params.retain(List.copyOf(known.propertyNames()));
                } else if (before.has(name)) {
                    dropNew(before.get(name), after.get(name));
                } else {
                    after.remove(name);
                }
            }
        } else if (then instanceof ArrayNode before && now instanceof ArrayNode after) {
            for (int i = 0; i < Math.min(before.size(), after.size()); i++) {
                dropNew(before.get(i), after.get(i));
            }
        }
    }

    private static String compared(String answer) {
        int body = answer.indexOf(' ', answer.indexOf('\n')) + 1;
        try {
            return answer.substring(0, body)
                    + mask("", TestClient.JSON.readTree(answer.substring(body)));
        } catch (JacksonException _) {
            return answer.substring(0, body) + "not JSON";
        }
    }

    private static JsonNode mask(String field, JsonNode value) {
        if (VARYING.contains(field)) {
            return TestClient.JSON.getNodeFactory().stringNode("<varies>");
        }
        return switch (value) {
            case ObjectNode object -> {
                var masked = TestClient.JSON.createObjectNode();
                if (object.path("kind").asString("").equals("rules.changed")) {
                    // 0.1.0 named Berth as the actor.
                    object.put("actor", "<varies>");
                }
                object.propertyStream()
                        .forEach(
                                entry ->
                                        masked.set(
                                                entry.getKey(),
                                                mask(entry.getKey(), entry.getValue())));
                yield masked;
            }
            case ArrayNode array -> {
                var masked = TestClient.JSON.createArrayNode();
                for (var element : array) {
                    if (!NEW_KEYS.contains(element.path("key").asString(""))) {
                        masked.add(mask(field, element));
                    }
                }
                yield masked;
            }
            default -> TestClient.JSON.getNodeFactory().stringNode(scalar(field, value));
        };
    }

    private static String scalar(String field, JsonNode value) {
        if (value.isNull()) {
            return "null";
        }
        if (TEXTS.contains(field)) {
            return "<text>";
        }
        if (value.isFloatingPointNumber()) {
            return "<" + value.getNodeType() + ">";
        }
        var text = TIME.matcher(value.asString()).replaceAll("<time>");
        return text.equals(USER) || text.equals("unix:" + USER) ? "<user>" : text;
    }

    private static List<String> resource(String name) throws IOException {
        try (var in = RecordedApiTest.class.getResourceAsStream("/api-0.1.0/" + name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
        }
    }
}
