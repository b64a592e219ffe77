package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.task.Owner;
import dev.berth.port.Change;
import dev.berth.port.Fact;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.GpuAlert;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.TaskAlert;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Decides what a reading of the GPUs means for the state. */
final class GpuReadingDecider {

    private GpuReadingDecider() {}

    static void decide(Decision decision, Fact.GpusRead fact) {
        var before = decision.state().gpus();
        var changed = new ArrayList<>(changed(before, fact));
        changed.forEach(state -> update(decision, state));
        var missing = missing(decision.state().gpus(), fact);
        missing.forEach(state -> decision.setState(decision.state().with(state)));
        changed.addAll(missing);
        noteReadFailure(decision, fact);
        if (fact.readFailure().isEmpty()) {
            noteUnreadable(decision, changed, before);
        }
        fact.departures().forEach(departure -> removeDeparted(decision, departure));
    }

    /**
     * Most GPUs of a large machine are as they were in the reading before. A failed one may have
     * been given back by a person since.
     */
    private static List<GpuState> changed(
            PersistentMap<GpuId, GpuState> before, Fact.GpusRead fact) {
        return fact.gpus().stream()
                .filter(
                        state ->
                                state.failure().isPresent()
                                        || !before.get(state.gpu().id()).equals(Optional.of(state)))
                .toList();
    }

    /**
     * @param known the GPUs, with all of this reading
     */
    private static List<GpuState> missing(
            PersistentMap<GpuId, GpuState> known, Fact.GpusRead fact) {
        if (known.size() == fact.gpus().size()) {
            return List.of();
        }
        var seen = new TreeSet<GpuId>();
        fact.gpus().forEach(state -> seen.add(state.gpu().id()));
        var why = fact.readFailure().orElse("missing from the latest reading");
        return known.values()
                .map(GpuState::gpu)
                .filter(gpu -> gpu.id().node().equals(fact.node()) && !seen.contains(gpu.id()))
                .<GpuState>map(gpu -> new GpuState.Unknown(gpu, why))
                .toList();
    }

    private static void update(Decision decision, GpuState state) {
        var card = state.gpu();
        var known = decision.state().gpus().get(card.id());
        if (known.isEmpty() || !known.get().gpu().equals(card)) {
            decision.save(new Change.GpuSaved(card));
        }
        decision.setState(decision.state().with(state));
        state.failure()
                .ifPresent(
                        why ->
                                GpuFaultDecider.reportFault(
                                        decision, card.id(), GpuFault.Kind.MISSING, why));
    }

    /**
     * Notes GPUs that can no longer be read while others can; {@link TimerDecider} raises an alert
     * after a while. If no GPU can be read, the cause is not a single GPU.
     *
     * @param before the GPUs as known before this reading
     */
    private static void noteUnreadable(
            Decision decision, List<GpuState> changed, PersistentMap<GpuId, GpuState> before) {
        var doubts = decision.state().sinceStart().gpuSuspicions();
        var blind = doubts.unreadable();
        for (var state : changed) {
            var card = state.gpu().id();
            var known = blind.get(card);
            if (state.becameUnreadable(before.get(card))) {
                var why = state.unreadable().orElseThrow();
                var since = new GpuSuspicions.UnreadableSince(decision.at(), why, false);
                blind = blind.with(card, since);
            }
            // A failed GPU has an alert of its own.
            if (state.isReadable() || state.failure().isPresent()) {
                blind = blind.without(card);
            }
            if (state.isReadable()
                    && known.filter(GpuSuspicions.UnreadableSince::isReported).isPresent()) {
                var gpu = GpuAlert.GpuRef.of(state.gpu());
                decision.addEvent(new GpuAlert.GpuReadable(gpu));
            }
        }
        decision.setState(
                decision.state().with(decision.state().sinceStart().with(doubts.with(blind))));
    }

    private static void noteReadFailure(Decision decision, Fact.GpusRead fact) {
        var traffic = decision.state().sinceStart().gpuReleases();
        if (traffic.readFailure().isPresent() != fact.readFailure().isPresent()) {
            decision.addEvent(
                    fact.readFailure()
                            .<EventPayload>map(
                                    why -> new NodeAlert.GpusUnreadable(fact.node(), why))
                            .orElseGet(() -> new NodeAlert.GpusReadable(fact.node())));
        }
        save(decision, traffic.with(fact.readFailure()));
    }

    private static void removeDeparted(Decision decision, Fact.Departure departure) {
        var traffic = decision.state().sinceStart().gpuReleases();
        var cards = traffic.gpusLeftBy(departure.attempt());
        save(decision, traffic.withoutLeaving(departure.attempt()));
        if (!departure.isVerified() && !cards.isEmpty()) {
            var indices =
                    cards.stream()
                            .map(decision.state().gpus()::get)
                            .flatMap(Optional::stream)
                            .map(state -> state.gpu().index())
                            .toList();
            decision.addEvent(
                    Owner.BERTH, departure.attempt(), new TaskAlert.GpuReleaseUnverified(indices));
        }
    }

    private static void save(Decision decision, GpuReleases traffic) {
        decision.setState(decision.state().with(decision.state().sinceStart().with(traffic)));
    }
}
