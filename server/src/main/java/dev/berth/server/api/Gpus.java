package dev.berth.server.api;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Fault;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.plan.Headroom;
import dev.berth.core.plan.Hold;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Pool;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Rules;
import dev.berth.core.plan.Spot;
import dev.berth.core.task.Need;
import dev.berth.core.task.Run;
import dev.berth.core.task.Shape;
import dev.berth.engine.State;
import dev.berth.wire.GpuInfo;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The cards of a state in the words of the wire. */
final class Gpus {

    private static final Reading NOTHING_SAID =
            new Reading(
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    Optional.empty());

    /** A task that would take any card. */
    private static final Shape ANY = Shape.of(Need.cards(1), Optional.empty());

    private final Desk desk;

    Gpus(Desk desk) {
        this.desk = desk;
    }

    private Planner planner() {
        return desk.engine().engine().planner();
    }

    /** Whether a card is busy has nothing to do with whether it is Berth's to give. */
    private Planner asIfAll() {
        var rules = planner().rules();
        return new Planner(new Rules(rules.thresholdPercent(), rules.foreign(), Pool.ALL));
    }

    /**
     * All cards ever seen, by node and index.
     *
     * @param withProcesses also who is on them
     */
    List<GpuInfo> all(boolean withProcesses) {
        var state = desk.engine().state();
        return state.cards()
                .values()
                .sorted(
                        Comparator.comparing((CardState one) -> one.card().id().node())
                                .thenComparingInt(one -> one.card().index())
                                .thenComparing(one -> one.card().id()))
                .map(one -> info(one, state, withProcesses))
                .toList();
    }

    /** The one that has this number now. */
    GpuInfo at(int index) {
        var state = desk.engine().state();
        return info(state.cardAt(index).orElseThrow(), state, true);
    }

    private GpuInfo info(CardState one, State state, boolean withProcesses) {
        var card = one.card();
        var reading = one instanceof CardState.Readable(_, var said) ? said : NOTHING_SAID;
        var holds = state.holds().get(card.id()).orElse(List.of());
        var holders = holders(holds, state);
        var tasks = holders.stream().map(GpuInfo.Holder::taskId).distinct().sorted().toList();
        var first = tasks.stream().findFirst().orElse(null);
        var fault = state.books().faults().get(card.id());
        var spot = spot(state.usable().get(card.id()).orElse(one), state);
        var used = boxed(reading.usedMib());
        var free = boxed(reading.freeMib());
        var utilization = boxed(reading.utilizationPercent());
        return new GpuInfo(
                card.index(),
                card.index(),
                card.id().node(),
                card.id().uuid(),
                card.model(),
                new GpuInfo.Memory(card.totalMib(), used, free),
                utilization,
                first,
                first,
                tasks,
                planner().refusal(ANY, spot, false).isEmpty(),
                status(spot),
                card.totalMib(),
                used,
                free,
                utilization,
                boxed(reading.temperatureC()),
                loaded(card.id(), state),
                boxed(Headroom.mib(reading, holds)),
                boxed(reading.meanUtilizationPercent()),
                why(spot),
                state.watch().cards().releasedAt().get(card.id()).map(Times::text).orElse(null),
                withProcesses ? processes(reading, state) : null,
                holders,
                fault.map(Gpus::words).orElse(null));
    }

    private static GpuInfo.Fault words(Fault fault) {
        return new GpuInfo.Fault(
                fault.kind().word(),
                fault.why(),
                Times.text(fault.since()),
                fault.stage().name().toLowerCase(Locale.ROOT));
    }

    /** What cannot be read is not free, even if nobody holds it. */
    private String status(Spot spot) {
        return switch (spot.state()) {
            case CardState.Failed _ -> "error";
            case CardState.Unknown _ -> "unknown";
            case CardState.Readable _ ->
                    asIfAll()
                            .refusal(ANY, spot, false)
                            .map(why -> why instanceof Refusal.Unreadable ? "unknown" : "busy")
                            .orElse("free");
        };
    }

    private static Spot spot(CardState one, State state) {
        var card = one.card().id();
        return new Spot(
                one,
                state.holds().get(card).orElse(List.of()),
                state.watch().cards().leaving().get(card).orElse(List.of()));
    }

    private List<String> loaded(CardId card, State state) {
        var uses = state.watch().cards().models().get(card).orElse(List.of());
        return planner().rules().models().loaded(uses, desk.engine().now());
    }

    private @Nullable String why(Spot spot) {
        return switch (spot.state()) {
            case CardState.Failed(_, String why) -> why;
            case CardState.Unknown(_, String why) -> why;
            case CardState.Readable _ ->
                    asIfAll().refusal(ANY, spot, false).orElse(null)
                                    instanceof Refusal.Unreadable(String why)
                            ? why
                            : null;
        };
    }

    private static List<GpuInfo.Holder> holders(List<Hold> holds, State state) {
        return holds.stream()
                .map(
                        hold -> {
                            var attempt = state.attempts().get(hold.attempt()).orElseThrow();
                            var task = state.tasks().get(hold.attempt().task()).orElseThrow();
                            var since =
                                    attempt.phase()
                                            .begun()
                                            .map(Run::startedAt)
                                            .orElse(attempt.grantedAt());
                            return new GpuInfo.Holder(
                                    task.id().value(),
                                    task.spec().name(),
                                    task.owner().name(),
                                    Times.text(since));
                        })
                .toList();
    }

    private static @Nullable List<GpuInfo.Process> processes(Reading reading, State state) {
        return reading.occupants()
                .map(all -> all.stream().map(one -> process(one, state)).toList())
                .orElse(null);
    }

    private static GpuInfo.Process process(Occupant one, State state) {
        var user =
                switch (one.whose()) {
                    case Whose.User(String name, _) -> name;
                    case Whose.Ours(var attempt) ->
                            state.tasks()
                                    .get(attempt.task())
                                    .map(task -> task.owner().name())
                                    .orElse(null);
                    case Whose.Unknown _ -> null;
                };
        var task =
                one.whose() instanceof Whose.Ours(var attempt)
                        ? (Long) attempt.task().value()
                        : null;
        return new GpuInfo.Process(
                one.pid(),
                user,
                one.program(),
                boxed(one.usedMib()),
                one.kind().name().toLowerCase(Locale.ROOT),
                one.since().map(Times::text).orElse(null),
                task,
                task == null);
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }

    private static @Nullable Integer boxed(OptionalInt value) {
        return value.isPresent() ? (Integer) value.getAsInt() : null;
    }
}
