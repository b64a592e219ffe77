package dev.berth.store;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The claims of an attempt as rows of {@code claim}. */
final class ClaimRow {

    static final SqlTable TABLE = SqlTable.checked("claim");

    private static final Column TASK = TABLE.key("task");
    private static final Column NUMBER = TABLE.key("number");
    private static final Column PLACE = TABLE.key("place");
    private static final Column NODE = TABLE.column("node");
    private static final Column GPU_UUID = TABLE.column("card_uuid");
    private static final Column MIB = TABLE.column("mib");
    private static final Column EXCLUSIVE = TABLE.column("exclusive");
    private static final Column LIVE = TABLE.column("live");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();
    private static final String DELETE_FROM_PLACE =
            "DELETE FROM claim WHERE task = ? AND number = ? AND place >= ?";

    private ClaimRow() {}

    /** The attempt's row must exist. */
    static void saveAll(SqlSession session, Attempt attempt) throws SQLException {
        var claims = attempt.claims();
        session.prepared(DELETE_FROM_PLACE)
                .add(attempt.id().task().value())
                .add(attempt.id().number())
                .add(claims.size())
                .run();
        for (int position = 0; position < claims.size(); position++) {
            save(session, attempt, position);
        }
    }

    private static void save(SqlSession session, Attempt attempt, int position)
            throws SQLException {
        var claim = attempt.claims().get(position);
        var row =
                session.prepared(UPSERT)
                        .set(TASK, attempt.id().task().value())
                        .set(NUMBER, attempt.id().number())
                        .set(PLACE, position)
                        .set(NODE, claim.gpu().node())
                        .set(GPU_UUID, claim.gpu().uuid())
                        .set(MIB, claim.memoryMib())
                        .set(EXCLUSIVE, claim.isExclusive())
                        .set(LIVE, attempt.isLive());
        try {
            row.run();
        } catch (SQLException e) {
            if (SqliteErrors.isConstraintViolation(e)) {
                throw new IllegalStateException(
                        "GPU "
                                + claim.gpu()
                                + " is held exclusively by another attempt than "
                                + attempt.id(),
                        e);
            }
            throw e;
        }
    }

    /** Reads all rows. The claims of one attempt must be ordered by place. */
    static Map<AttemptId, List<Claim>> readAll(ResultRow row) throws SQLException {
        var claims = new HashMap<AttemptId, List<Claim>>();
        while (row.next()) {
            var attempt = new AttemptId(new TaskId(row.number(TASK)), row.smallNumber(NUMBER));
            var claim =
                    new Claim(
                            new GpuId(row.text(NODE), row.text(GPU_UUID)),
                            row.number(MIB),
                            row.flag(EXCLUSIVE));
            claims.computeIfAbsent(attempt, _ -> new ArrayList<>(1)).add(claim);
        }
        return claims;
    }
}
