package dev.berth.node.worker;

import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonParser.JsonNumber;
import dev.berth.jsontext.JsonParser.MalformedJson;
import dev.berth.jsontext.JsonWriter;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.Optional;

/** One line from a worker. */
sealed interface WorkerMessage {

    record Ready() implements WorkerMessage {}

    record Pong() implements WorkerMessage {}

    record Log(long task, String line) implements WorkerMessage {}

    record Progress(long task, long done, long total) implements WorkerMessage {}

    /**
     * @param value JSON
     */
    record Result(long task, String value) implements WorkerMessage {}

    record Error(long task, String errorType, String message) implements WorkerMessage {

        private static final int MAX_CHARS = 4000;

        Ending ending() {
            var text = message.isEmpty() ? ErrorSentence.WORKER_REPORT.text(errorType) : message;
            return new Ending.CallFailed(
                    errorType.isEmpty() ? "error" : errorType,
                    text.substring(0, Math.min(text.length(), MAX_CHARS)));
        }
    }

    /** Empty if the line is not a message of the protocol. */
    static Optional<WorkerMessage> parse(String line) {
        try {
            return JsonParser.parse(line) instanceof Map<?, ?> fields
                    ? Optional.ofNullable(of(fields))
                    : Optional.empty();
        } catch (MalformedJson | NumberFormatException notOne) {
            return Optional.empty();
        }
    }

    private static @Nullable WorkerMessage of(Map<?, ?> fields) {
        var type = fields.get("type");
        if ("ready".equals(type)) {
            return new Ready();
        }
        if ("pong".equals(type)) {
            return new Pong();
        }
        if (!(type instanceof String word && fields.get("task") instanceof JsonNumber(String id))) {
            return null;
        }
        long task = Long.parseLong(id);
        return switch (word) {
            case "log" -> fields.get("line") instanceof String text ? new Log(task, text) : null;
            case "progress" -> progress(task, fields);
            case "result" ->
                    fields.containsKey("value")
                            ? new Result(task, JsonWriter.write(fields.get("value")))
                            : null;
            case "error" -> new Error(task, text(fields, "error_type"), text(fields, "message"));
            default -> null;
        };
    }

    private static @Nullable WorkerMessage progress(long task, Map<?, ?> fields) {
        return fields.get("done") instanceof JsonNumber(String done)
                        && fields.get("total") instanceof JsonNumber(String total)
                ? new Progress(
                        task, (long) Double.parseDouble(done), (long) Double.parseDouble(total))
                : null;
    }

    private static String text(Map<?, ?> fields, String name) {
        return fields.get(name) instanceof String text ? text : "";
    }
}
