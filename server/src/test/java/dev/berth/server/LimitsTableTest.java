package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.http.UnreadBody;
import dev.berth.http.limit.UserLimits;
import dev.berth.runs.CommandFiles;
import dev.berth.runs.LogBindings;
import dev.berth.runs.LogFileTail;
import dev.berth.server.api.need.NeedRequest;
import dev.berth.server.stream.StreamTimeouts;
import dev.berth.telemetry.audit.Auditor;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The table of limits in the documentation states the values of the code. */
class LimitsTableTest {

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| [^|]+ \\|$");

    @Test
    void limitsTableMatchesTheCode() throws Exception {
        var page = Files.readString(Path.of("../docs/security.md"));
        var section =
                page.substring(page.indexOf("\n## Limits\n"), page.indexOf("\n## Audit log\n"));
        var documented = new TreeMap<String, String>();
        ROW.matcher(section)
                .results()
                .filter(row -> !row.group(1).equals("What"))
                .forEach(row -> documented.put(row.group(1), row.group(2)));
        assertThat(documented).isEqualTo(limits());
    }

    private static Map<String, String> limits() throws ReflectiveOperationException {
        var limits = new TreeMap<String, String>();
        addUserLimits(limits);
        addSizes(limits);
        addTaskLimits(limits);
        addTimes(limits);
        return limits;
    }

    private static void addUserLimits(Map<String, String> limits)
            throws ReflectiveOperationException {
        var user = UserLimits.DEFAULT;
        limits.put(
                "requests of one user",
                text(user.requestsPerSecond())
                        + " a second, "
                        + text(user.requestBurst())
                        + " at once");
        limits.put("event streams of one user", text(user.streams()));
        limits.put("waiting tasks of one user", text(user.queuedTasks()));
        limits.put(
                "tokens of one user",
                count("dev.berth.engine.TokenDecider", "MAX_PER_KIND") + " valid ones");
        limits.put(
                "models of one user, on the server of a machine",
                count("dev.berth.engine.ModelDecider", "MAX_OWN_MODELS"));
        var connections = count("dev.berth.server.HttpServer", "MAX_CONNECTIONS");
        limits.put("connections", connections + " on the socket, " + connections + " on the port");
        limits.put("log bindings", text(LogBindings.MAX_BINDINGS));
        limits.put(
                "audit lines about refused requests of one kind",
                text(Auditor.REFUSALS_PER_MINUTE) + " a minute");
    }

    private static void addSizes(Map<String, String> limits) throws ReflectiveOperationException {
        var reader = "dev.berth.http.BodyReader";
        limits.put(
                "a body",
                "%s, with a command file %s; a script %s; JSON %s levels deep"
                        .formatted(
                                bytes(reader, "MAX_BYTES"),
                                bytes(reader, "MAX_LARGE_BYTES"),
                                bytes("dev.berth.server.api.task.TaskRequest", "MAX_COMMAND_BYTES"),
                                count("dev.berth.json.WireJson", "MAX_DEPTH")));
        limits.put("a refused body that is still read", size(UnreadBody.MAX_BYTES));
        limits.put(
                "a command file",
                size(CommandFiles.MAX_BYTES)
                        + ", "
                        + count("dev.berth.core.commandfile.CommandFile", "MAX_BLOCKS")
                        + " tasks");
        limits.put(
                "a log read by its path",
                "the last %s lines, within the last %s"
                        .formatted(
                                text(LogFileTail.MAX_LINES),
                                bytes("dev.berth.runs.LogFileTail", "MAX_BYTES_READ")));
        limits.put("request headers", bytes("dev.berth.server.HttpServer", "MAX_HEADER_BYTES"));
    }

    private static void addTaskLimits(Map<String, String> limits)
            throws ReflectiveOperationException {
        var request = "dev.berth.server.api.task.TaskRequest";
        limits.put(
                "a task",
                "name %s characters, owner %s, working directory %s, environment %s, %s retries, %s GPUs"
                        .formatted(
                                count(request, "MAX_NAME_LENGTH"),
                                count(request, "MAX_OWNER_LENGTH"),
                                count("dev.berth.server.api.task.WorkingDirectories", "MAX_LENGTH"),
                                bytes(request, "MAX_ENV_BYTES"),
                                count(request, "MAX_RETRIES"),
                                text(NeedRequest.MAX_GPUS)));
        limits.put(
                "the environment of the submitter's shell",
                bytes("dev.berth.server.api.task.ShellRequest", "MAX_ENVIRONMENT_BYTES"));
        limits.put(
                "tasks in a batch",
                count("dev.berth.server.api.task.TaskBatchRoutes", "MAX_TASKS"));
        limits.put(
                "an idempotency key",
                count("dev.berth.server.api.task.IdempotencyKeys", "MAX_LENGTH") + " characters");
        limits.put(
                "a token",
                "name %s characters, %s days"
                        .formatted(
                                count("dev.berth.server.api.access.TokenRoutes", "MAX_NAME_LENGTH"),
                                count("dev.berth.server.api.access.TokenRoutes", "MAX_DAYS")));
        limits.put(
                "events that a stream replays",
                number("dev.berth.server.stream.EventStream", "MAX_MISSED"));
    }

    private static void addTimes(Map<String, String> limits) {
        var headers = HttpServer.Timeouts.DEFAULT.headers();
        limits.put(
                "time for a request's headers",
                seconds(headers)
                        + ", on a kept connection up to "
                        + seconds(headers.multipliedBy(3).dividedBy(2)));
        limits.put(
                "time without a read by a stream's client",
                seconds(StreamTimeouts.DEFAULT.deadline()));
    }

    private static Object constant(String type, String field) throws ReflectiveOperationException {
        var found = Class.forName(type).getDeclaredField(field);
        found.setAccessible(true);
        return found.get(null);
    }

    private static String count(String type, String field) throws ReflectiveOperationException {
        return text((Integer) constant(type, field));
    }

    private static String number(String type, String field) throws ReflectiveOperationException {
        return text((Long) constant(type, field));
    }

    private static String bytes(String type, String field) throws ReflectiveOperationException {
        return size((Integer) constant(type, field));
    }

    private static String text(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String size(int bytes) {
        return bytes % (1 << 20) == 0 ? (bytes >> 20) + " MiB" : (bytes >> 10) + " KiB";
    }

    private static String seconds(Duration time) {
        return time.toSeconds() + " s";
    }
}
