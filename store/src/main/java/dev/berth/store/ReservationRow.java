package dev.berth.store;

import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Owner;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/** A reservation, as a row of {@code reservation}. */
final class ReservationRow {

    static final SqlTable TABLE = SqlTable.checked("reservation");

    static final Column ID = TABLE.key("id");
    private static final Column HOLDER_KIND = TABLE.column("holder_kind");
    private static final Column HOLDER_NAME = TABLE.column("holder_name");
    private static final Column GPU_COUNT = TABLE.column("gpu_count");
    private static final Column DEVICES = TABLE.column("devices");
    private static final Column BEGIN = TABLE.column("begins_at");
    private static final Column SECONDS = TABLE.column("seconds");
    private static final Column WEEKLY = TABLE.column("weekly");
    private static final Column ZONE = TABLE.column("zone");
    private static final Column NOTE = TABLE.column("note");
    private static final Column CREATED_BY = TABLE.column("created_by");
    private static final Column CREATED_BY_NAME = TABLE.column("created_by_name");
    private static final Column CREATED_AT = TABLE.column("created_at");
    private static final Column ENDED_AT = TABLE.column("ended_at");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();
    private static final String BY_ID = TABLE.select("WHERE id = ?");
    private static final String CURRENT = TABLE.select("WHERE ended_at IS NULL ORDER BY id");

    private static final String USER = "user";
    private static final String GROUP = "group";
    private static final String NOBODY = "nobody";

    private ReservationRow() {}

    static void save(SqlSession session, Reservation reservation) throws SQLException {
        write(session, reservation).run();
    }

    /** The row stays, so that its id is not used again. */
    static void end(SqlSession session, long id, Instant at) throws SQLException {
        List<Reservation> found;
        try (var row = session.prepared(BY_ID).add(id).query()) {
            found = readAll(row);
        }
        for (var reservation : found) {
            write(session, reservation).set(ENDED_AT, at).run();
        }
    }

    private static Parameters write(SqlSession session, Reservation it) throws SQLException {
        var schedule = it.schedule();
        var row =
                session.prepared(UPSERT)
                        .set(ID, it.id())
                        .set(HOLDER_KIND, kind(it.holder()))
                        .set(GPU_COUNT, (long) it.gpus().count())
                        .set(BEGIN, schedule.begin())
                        .set(SECONDS, schedule.length().toSeconds())
                        .set(WEEKLY, schedule.isWeekly())
                        .set(ZONE, schedule.zone().getId())
                        .set(NOTE, it.note())
                        .set(CREATED_BY, it.createdBy().principal())
                        .set(CREATED_BY_NAME, it.createdBy().name())
                        .set(CREATED_AT, it.createdAt());
        switch (it.holder()) {
            case ReservationHolder.ForUser(var user) -> row.set(HOLDER_NAME, user);
            case ReservationHolder.ForGroup(var group) -> row.set(HOLDER_NAME, group);
            case ReservationHolder.ForNobody _ -> {}
        }
        if (it.gpus() instanceof ReservedGpus.NamedGpus(var devices)) {
            row.set(DEVICES, devices.apiName());
        }
        return row;
    }

    private static String kind(ReservationHolder holder) {
        return switch (holder) {
            case ReservationHolder.ForUser _ -> USER;
            case ReservationHolder.ForGroup _ -> GROUP;
            case ReservationHolder.ForNobody _ -> NOBODY;
        };
    }

    static List<Reservation> readCurrent(SqlSession session) throws SQLException {
        try (var row = session.prepared(CURRENT).query()) {
            return readAll(row);
        }
    }

    private static List<Reservation> readAll(ResultRow row) throws SQLException {
        var all = new ArrayList<Reservation>();
        while (row.next()) {
            all.add(
                    new Reservation(
                            row.number(ID),
                            holder(row),
                            gpus(row),
                            new Reservation.Schedule(
                                    row.time(BEGIN),
                                    Duration.ofSeconds(row.number(SECONDS)),
                                    row.flag(WEEKLY),
                                    ZoneId.of(row.text(ZONE))),
                            row.text(NOTE),
                            new Owner(row.text(CREATED_BY), row.text(CREATED_BY_NAME)),
                            row.time(CREATED_AT)));
        }
        return all;
    }

    private static ReservationHolder holder(ResultRow row) throws SQLException {
        var kind = row.text(HOLDER_KIND);
        return switch (kind) {
            case USER -> new ReservationHolder.ForUser(row.text(HOLDER_NAME));
            case GROUP -> new ReservationHolder.ForGroup(row.text(HOLDER_NAME));
            case NOBODY -> new ReservationHolder.ForNobody();
            default -> throw new SQLException("unknown holder of a reservation: " + kind);
        };
    }

    private static ReservedGpus gpus(ResultRow row) throws SQLException {
        var devices = row.optionalText(DEVICES);
        return devices.isPresent()
                ? new ReservedGpus.NamedGpus(GpuIndices.parse(devices.get()))
                : new ReservedGpus.AnyGpus(row.smallNumber(GPU_COUNT));
    }
}
