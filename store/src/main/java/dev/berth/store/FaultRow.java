package dev.berth.store;

import dev.berth.core.card.CardId;
import dev.berth.core.card.Fault;

import java.sql.SQLException;
import java.util.List;

/** A card that is out of use, as a row of {@code card_fault}. */
final class FaultRow {

    static final List<String> COLUMNS = List.of("node", "uuid", "kind", "why", "since", "stage");

    private static final String UPSERT = Sql.upsert("card_fault", 2, COLUMNS);
    private static final String DROP = "DELETE FROM card_fault WHERE node = ? AND uuid = ?";

    private FaultRow() {}

    static void save(Session session, Fault fault) throws SQLException {
        session.prepared(UPSERT)
                .text(fault.card().node())
                .text(fault.card().uuid())
                .text(Words.of(fault.kind()))
                .text(fault.why())
                .time(fault.since())
                .text(Words.of(fault.stage()))
                .run();
    }

    static void drop(Session session, CardId card) throws SQLException {
        session.prepared(DROP).text(card.node()).text(card.uuid()).run();
    }

    static Fault read(Fields row) throws SQLException {
        return new Fault(
                new CardId(row.text(), row.text()),
                Words.value(Fault.Kind.class, row.text()),
                row.text(),
                row.time(),
                Words.value(Fault.Stage.class, row.text()));
    }
}
