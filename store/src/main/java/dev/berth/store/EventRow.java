package dev.berth.store;

import dev.berth.core.access.Via;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.port.Event;
import dev.berth.port.event.EventCodec;

import java.sql.SQLException;
import java.util.Optional;

/**
 * An event as a row of {@code event}. Of the attempt only its number is stored, because its task is
 * the event's.
 */
final class EventRow {

    static final SqlTable TABLE = SqlTable.checked("event");

    static final Column SEQ = TABLE.key("seq");
    private static final Column AT = TABLE.column("at");
    private static final Column ACTOR_PRINCIPAL = TABLE.column("actor_principal");
    private static final Column ACTOR_NAME = TABLE.column("actor_name");
    private static final Column KIND = TABLE.column("kind");
    private static final Column TASK = TABLE.column("task");
    private static final Column ATTEMPT = TABLE.column("attempt");
    private static final Column DATA = TABLE.column("data");
    private static final Column VIA = TABLE.column("via");
    private static final Column OWNER_PRINCIPAL = TABLE.column("owner_principal");
    private static final Column OWNER_NAME = TABLE.column("owner_name");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    private EventRow() {}

    static void save(SqlSession session, Event event) throws SQLException {
        var row =
                session.prepared(UPSERT)
                        .set(SEQ, event.seq())
                        .set(AT, event.at())
                        .set(ACTOR_PRINCIPAL, event.actor().principal())
                        .set(ACTOR_NAME, event.actor().name())
                        .set(KIND, event.kind())
                        .set(DATA, JsonText.of(EventCodec.fieldsOf(event.payload())))
                        .set(VIA, event.via().map(EnumText::of))
                        .set(OWNER_PRINCIPAL, event.owner().map(Owner::principal))
                        .set(OWNER_NAME, event.owner().map(Owner::name));
        var task = event.task().or(() -> event.attempt().map(AttemptId::task));
        if (task.isPresent()) {
            row.set(TASK, task.get().value());
        }
        if (event.attempt().isPresent()) {
            row.set(ATTEMPT, event.attempt().get().number());
        }
        row.run();
    }

    static Event read(ResultRow row) throws SQLException {
        var task = task(row);
        return new Event(
                row.number(SEQ),
                row.time(AT),
                new Owner(row.text(ACTOR_PRINCIPAL), row.text(ACTOR_NAME)),
                row.optionalText(VIA).map(via -> EnumText.parse(Via.class, via)),
                owner(row),
                task,
                attempt(row, task),
                EventCodec.read(row.text(KIND), JsonText.read(row.text(DATA))));
    }

    private static Optional<Owner> owner(ResultRow row) throws SQLException {
        var principal = row.optionalText(OWNER_PRINCIPAL);
        return principal.isEmpty()
                ? Optional.empty()
                : Optional.of(new Owner(principal.get(), row.text(OWNER_NAME)));
    }

    private static Optional<TaskId> task(ResultRow row) throws SQLException {
        var id = row.optionalNumber(TASK);
        return id.isPresent() ? Optional.of(new TaskId(id.getAsLong())) : Optional.empty();
    }

    private static Optional<AttemptId> attempt(ResultRow row, Optional<TaskId> task)
            throws SQLException {
        var number = row.optionalSmallNumber(ATTEMPT);
        return number.isEmpty()
                ? Optional.empty()
                : task.map(id -> new AttemptId(id, number.getAsInt()));
    }
}
