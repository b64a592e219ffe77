package dev.berth.store;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An event as a row of {@code event}. An attempt is kept as its number: its task is the event's.
 */
final class EventRow {

    static final List<String> COLUMNS =
            List.of(
                    "seq",
                    "at",
                    "actor_principal",
                    "actor_name",
                    "kind",
                    "task",
                    "attempt",
                    "data");

    private static final String UPSERT = Sql.upsert("event", 1, COLUMNS);

    private static final Map<String, Event.Kind> KINDS =
            Arrays.stream(Event.Kind.values())
                    .collect(Collectors.toMap(Event.Kind::word, Function.identity()));

    private EventRow() {}

    static void save(Session session, Event event) throws SQLException {
        var task = event.task().or(() -> event.attempt().map(AttemptId::task));
        var row =
                session.prepared(UPSERT)
                        .number(event.seq())
                        .time(event.at())
                        .text(event.actor().principal())
                        .text(event.actor().name())
                        .text(event.kind().word());
        row.number(task.map(id -> OptionalLong.of(id.value())).orElseGet(OptionalLong::empty))
                .number(
                        event.attempt()
                                .map(id -> OptionalLong.of(id.number()))
                                .orElseGet(OptionalLong::empty))
                .text(JsonText.of(event.data()))
                .run();
    }

    static Event read(Fields row) throws SQLException {
        long seq = row.number();
        var at = row.time();
        var actor = new Owner(row.text(), row.text());
        var word = row.text();
        var kind =
                Optional.ofNullable(KINDS.get(word))
                        .orElseThrow(() -> new SQLException("unknown kind of event " + word));
        var task = id(row.optionalNumber());
        var number = row.optionalNumber();
        var attempt =
                number.isEmpty()
                        ? Optional.<AttemptId>empty()
                        : task.map(id -> new AttemptId(id, Math.toIntExact(number.getAsLong())));
        return new Event(seq, at, actor, kind, task, attempt, JsonText.read(row.text()));
    }

    private static Optional<TaskId> id(OptionalLong value) {
        return value.isPresent() ? Optional.of(new TaskId(value.getAsLong())) : Optional.empty();
    }
}
