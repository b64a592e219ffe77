package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.port.Change;
import dev.berth.port.event.ReservationPayload;
import dev.berth.port.event.ReservationPayload.ReservationRef;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Creates, removes and ends reservations. */
final class ReservationDecider {

    private static final int MAX_RESERVATIONS = 500;

    private static final Duration WEEK = Duration.ofDays(7);

    private ReservationDecider() {}

    static EngineReply decide(
            Decision decision, EngineCommand.CreateReservation create, GpuPool pool) {
        long id = decision.state().lastIds().reservation() + 1;
        var made =
                new Reservation(
                        id,
                        create.holder(),
                        create.gpus(),
                        create.schedule(),
                        create.note(),
                        create.actor(),
                        create.at());
        var refusal = refusal(decision.state(), made, create.at(), pool);
        if (refusal.isPresent()) {
            return new EngineReply.Refused(refusal.get());
        }
        decision.save(new Change.ReservationSaved(made));
        decision.addEvent(create.actor(), new ReservationPayload.ReservationCreated(ref(made)));
        return new EngineReply.ReservationKept(made);
    }

    private static Optional<Rejected> refusal(
            EngineState state, Reservation made, Instant now, GpuPool pool) {
        var schedule = made.schedule();
        if (schedule.isWeekly() && schedule.length().compareTo(WEEK) >= 0) {
            return Optional.of(Rejected.invalid("reservation.week", "seconds"));
        }
        var window = made.windowAt(now);
        if (window.isEmpty()) {
            return Optional.of(Rejected.invalid("reservation.past", "from"));
        }
        if (state.durable().reservations().size() >= MAX_RESERVATIONS) {
            return Optional.of(Rejected.tooMany("reservation.full").with("most", MAX_RESERVATIONS));
        }
        return gpuRefusal(made, usable(state, pool))
                .or(() -> overlap(state, made, window.get().span(), usable(state, pool)));
    }

    private static SortedSet<Integer> usable(EngineState state, GpuPool pool) {
        return state.gpus()
                .values()
                .map(gpu -> gpu.gpu().index())
                .filter(pool::contains)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Optional<Rejected> gpuRefusal(Reservation made, SortedSet<Integer> usable) {
        if (made.gpus() instanceof ReservedGpus.NamedGpus(var devices)) {
            return devices.indices().stream()
                    .filter(index -> !usable.contains(index))
                    .findFirst()
                    .map(
                            index ->
                                    Rejected.invalid("reservation.no_gpu", "gpus")
                                            .with("gpu", index));
        }
        return made.gpus().count() <= usable.size()
                ? Optional.empty()
                : Optional.of(
                        Rejected.invalid("reservation.too_many", "gpus")
                                .with("wanted", made.gpus().count())
                                .with("gpus", usable.size()));
    }

    /** More GPUs cannot be kept at the same time than there are. */
    private static Optional<Rejected> overlap(
            EngineState state,
            Reservation made,
            Reservation.TimeSpan span,
            SortedSet<Integer> usable) {
        int total = made.gpus().count();
        var named = new TreeSet<>(named(made));
        for (var other : state.durable().reservations().values().toList()) {
            if (!isSameTime(made, other, span)) {
                continue;
            }
            total += other.gpus().count();
            boolean isSameGpu = named(other).stream().anyMatch(named::contains);
            if (isSameGpu || total > usable.size()) {
                return Optional.of(
                        Rejected.conflict("reservation.overlap").with("other", other.id()));
            }
        }
        return Optional.empty();
    }

    /** Of the first windows; of two weekly ones these tell about all. */
    private static boolean isSameTime(
            Reservation made, Reservation other, Reservation.TimeSpan span) {
        boolean isThen = overlaps(other, span);
        return isThen
                || other.windowAt(span.begin())
                        .filter(window -> overlaps(made, window.span()))
                        .isPresent();
    }

    private static boolean overlaps(Reservation reservation, Reservation.TimeSpan span) {
        return reservation
                .windowAt(span.begin())
                .filter(window -> window.span().overlaps(span))
                .isPresent();
    }

    private static SortedSet<Integer> named(Reservation reservation) {
        return reservation.gpus() instanceof ReservedGpus.NamedGpus(var devices)
                ? devices.indices()
                : new TreeSet<>();
    }

    static EngineReply decide(Decision decision, EngineCommand.RemoveReservation remove) {
        var found = decision.state().durable().reservations().get(remove.id());
        if (found.isEmpty()) {
            return new EngineReply.Refused(
                    Rejected.notFound("reservation.unknown").with("reservation", remove.id()));
        }
        decision.save(new Change.ReservationEnded(remove.id(), remove.at()));
        decision.addEvent(
                remove.actor(), new ReservationPayload.ReservationRemoved(ref(found.get())));
        return new EngineReply.ReservationKept(found.get());
    }

    /** Ends those whose only window is over. */
    static void endOver(Decision decision) {
        for (var reservation : decision.state().durable().reservations().values().toList()) {
            if (reservation.windowAt(decision.at()).isEmpty()) {
                decision.save(new Change.ReservationEnded(reservation.id(), decision.at()));
                decision.addEvent(new ReservationPayload.ReservationOver(ref(reservation)));
            }
        }
    }

    /** When windows begin and end next. */
    static Stream<Instant> due(EngineState state, Instant at) {
        return state.durable()
                .reservations()
                .values()
                .flatMap(one -> one.windowAt(at).stream())
                .map(window -> window.isActive() ? window.span().end() : window.span().begin());
    }

    private static ReservationRef ref(Reservation reservation) {
        var holder =
                switch (reservation.holder()) {
                    case ReservationHolder.ForUser(var user) -> "user " + user;
                    case ReservationHolder.ForGroup(var group) -> "group " + group;
                    case ReservationHolder.ForNobody _ -> "nobody";
                };
        var gpus =
                switch (reservation.gpus()) {
                    case ReservedGpus.AnyGpus(int count) -> String.valueOf(count);
                    case ReservedGpus.NamedGpus(var devices) -> "gpu " + devices.apiName();
                };
        return new ReservationRef(
                reservation.id(),
                holder,
                gpus,
                reservation.schedule().begin(),
                reservation.schedule().length(),
                reservation.schedule().isWeekly(),
                reservation.note());
    }
}
