package dev.berth.server.api.reservation;

import dev.berth.core.gpu.GpuState;
import dev.berth.core.plan.ReservationPlan;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.engine.EngineState;
import dev.berth.json.IsoTime;
import dev.berth.wire.ReservationInfo;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Converts reservations to JSON. */
final class ReservationJson {

    private ReservationJson() {}

    /**
     * @param plan which GPUs are kept at the moment
     */
    static ReservationInfo of(
            Reservation reservation, Instant now, ReservationPlan plan, EngineState state) {
        var schedule = reservation.schedule();
        var window = reservation.windowAt(now);
        return new ReservationInfo(
                reservation.id(),
                reservation.holder() instanceof ReservationHolder.ForUser(var user) ? user : null,
                reservation.holder() instanceof ReservationHolder.ForGroup(var name) ? name : null,
                reservation.gpus().count(),
                reservation.gpus() instanceof ReservedGpus.NamedGpus(var devices)
                        ? List.copyOf(devices.indices())
                        : null,
                IsoTime.format(schedule.begin()),
                schedule.length().toSeconds(),
                schedule.isWeekly(),
                schedule.zone().getId(),
                reservation.note(),
                reservation.createdBy().name(),
                IsoTime.format(reservation.createdAt()),
                window.filter(ReservationWindow::isActive).isPresent(),
                time(window.map(one -> one.span().begin())),
                time(window.map(one -> one.span().end())),
                keptGpus(reservation, plan, state));
    }

    private static @Nullable String time(Optional<Instant> time) {
        return time.map(IsoTime::format).orElse(null);
    }

    private static List<Integer> keptGpus(
            Reservation reservation, ReservationPlan plan, EngineState state) {
        var indices = new ArrayList<Integer>();
        for (var entry : plan.byGpu()) {
            boolean isKept =
                    entry.getValue().stream().anyMatch(one -> one.id() == reservation.id());
            if (isKept) {
                state.gpus()
                        .get(entry.getKey())
                        .map(GpuState::gpu)
                        .ifPresent(gpu -> indices.add(gpu.index()));
            }
        }
        indices.sort(Integer::compare);
        return indices;
    }
}
