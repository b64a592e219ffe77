package dev.berth.store;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;

import java.sql.SQLException;

/** A GPU as a row of {@code card}. */
final class GpuRow {

    static final SqlTable TABLE = SqlTable.checked("card");

    private static final Column NODE = TABLE.key("node");
    private static final Column UUID = TABLE.key("uuid");
    private static final Column INDEX = TABLE.column("idx");
    private static final Column NAME = TABLE.column("name");
    private static final Column TOTAL_MIB = TABLE.column("total_mib");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    private GpuRow() {}

    static void save(SqlSession session, Gpu gpu) throws SQLException {
        session.prepared(UPSERT)
                .set(NODE, gpu.id().node())
                .set(UUID, gpu.id().uuid())
                .set(INDEX, gpu.index())
                .set(NAME, gpu.model())
                .set(TOTAL_MIB, gpu.totalMib())
                .run();
    }

    static Gpu read(ResultRow row) throws SQLException {
        return new Gpu(
                new GpuId(row.text(NODE), row.text(UUID)),
                row.smallNumber(INDEX),
                row.text(NAME),
                row.number(TOTAL_MIB));
    }
}
