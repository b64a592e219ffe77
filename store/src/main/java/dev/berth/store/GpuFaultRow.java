package dev.berth.store;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;

import java.sql.SQLException;

/** The fault for which a GPU is quarantined, as a row of {@code card_fault}. */
final class GpuFaultRow {

    static final SqlTable TABLE = SqlTable.checked("card_fault");

    private static final Column NODE = TABLE.key("node");
    private static final Column UUID = TABLE.key("uuid");
    private static final Column KIND = TABLE.column("kind");
    private static final Column WHY = TABLE.column("why");
    private static final Column SINCE = TABLE.column("since");
    private static final Column STAGE = TABLE.column("stage");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();
    private static final String DELETE = TABLE.deleteByKey();

    private GpuFaultRow() {}

    static void save(SqlSession session, GpuFault fault) throws SQLException {
        session.prepared(UPSERT)
                .set(NODE, fault.gpu().node())
                .set(UUID, fault.gpu().uuid())
                .set(KIND, EnumText.of(fault.kind()))
                .set(WHY, fault.reason())
                .set(SINCE, fault.since())
                .set(STAGE, EnumText.of(fault.stage()))
                .run();
    }

    static void delete(SqlSession session, GpuId gpu) throws SQLException {
        session.prepared(DELETE).set(NODE, gpu.node()).set(UUID, gpu.uuid()).run();
    }

    static GpuFault read(ResultRow row) throws SQLException {
        return new GpuFault(
                new GpuId(row.text(NODE), row.text(UUID)),
                EnumText.parse(GpuFault.Kind.class, row.text(KIND)),
                row.text(WHY),
                row.time(SINCE),
                EnumText.parse(GpuFault.Stage.class, row.text(STAGE)));
    }
}
