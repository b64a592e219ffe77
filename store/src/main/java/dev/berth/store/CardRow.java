package dev.berth.store;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;

import java.sql.SQLException;
import java.util.List;

/** A card as a row of {@code card}. */
final class CardRow {

    static final List<String> COLUMNS = List.of("node", "uuid", "idx", "name", "total_mib");

    private static final String UPSERT = Sql.upsert("card", 2, COLUMNS);

    private CardRow() {}

    static void save(Session session, Card card) throws SQLException {
        session.prepared(UPSERT)
                .text(card.id().node())
                .text(card.id().uuid())
                .number(card.index())
                .text(card.model())
                .number(card.totalMib())
                .run();
    }

    static Card read(Fields row) throws SQLException {
        var id = new CardId(row.text(), row.text());
        return new Card(id, row.smallNumber(), row.text(), row.number());
    }
}
