package dev.berth.store;

import dev.berth.core.card.CardId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.TaskId;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What an attempt claims, as rows of {@code claim}. */
final class ClaimRow {

    static final List<String> COLUMNS =
            List.of("task", "number", "place", "node", "card_uuid", "mib", "exclusive", "live");

    private static final String UPSERT = Sql.upsert("claim", 3, COLUMNS);
    private static final String DROP_FROM =
            "DELETE FROM claim WHERE task = ? AND number = ? AND place >= ?";

    private ClaimRow() {}

    /** The attempt's row must be there. */
    static void saveAll(Session session, Attempt attempt) throws SQLException {
        long task = attempt.id().task().value();
        int number = attempt.id().number();
        var claims = attempt.claims();
        session.prepared(DROP_FROM).number(task).number(number).number(claims.size()).run();
        for (int place = 0; place < claims.size(); place++) {
            var claim = claims.get(place);
            var row =
                    session.prepared(UPSERT)
                            .number(task)
                            .number(number)
                            .number(place)
                            .text(claim.card().node())
                            .text(claim.card().uuid())
                            .number(claim.mib())
                            .flag(claim.exclusive())
                            .flag(attempt.isLive());
            try {
                row.run();
            } catch (SQLException e) {
                if (Failures.isBrokenRule(e)) {
                    throw new IllegalStateException(
                            "card "
                                    + claim.card()
                                    + " is held exclusively by another attempt than "
                                    + attempt.id(),
                            e);
                }
                throw e;
            }
        }
    }

    /** Reads every row of the result; one attempt's claims must come in order. */
    static Map<AttemptId, List<Claim>> readAll(Fields row) throws SQLException {
        var claims = new HashMap<AttemptId, List<Claim>>();
        while (row.next()) {
            var attempt = new AttemptId(new TaskId(row.number()), row.smallNumber());
            row.skip(1);
            var card = new CardId(row.text(), row.text());
            var claim = new Claim(card, row.number(), row.flag());
            claims.computeIfAbsent(attempt, _ -> new ArrayList<>(1)).add(claim);
        }
        return claims;
    }
}
