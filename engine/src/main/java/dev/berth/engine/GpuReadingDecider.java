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

import java.util.Optional;
import java.util.TreeSet;

/** Decides what a reading of the GPUs means for the state. */
final class GpuReadingDecider {

    private GpuReadingDecider() {}

    static void decide(Decision decision, Fact.GpusRead fact) {
        var before = decision.state().gpus();
        var seen = new TreeSet<GpuId>();
        for (var state : fact.gpus()) {
            seen.add(state.gpu().id());
            update(decision, state);
        }
        for (var entry : decision.state().gpus()) {
            if (entry.getKey().node().equals(fact.node()) && !seen.contains(entry.getKey())) {
                var why = fact.readFailure().orElse("missing from the latest reading");
                decision.setState(
                        decision.state().with(new GpuState.Unknown(entry.getValue().gpu(), why)));
            }
        }
        noteReadFailure(decision, fact);
        noteUnreadable(decision, fact, before);
        fact.departures().forEach(departure -> removeDeparted(decision, departure));
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
            Decision decision, Fact.GpusRead fact, PersistentMap<GpuId, GpuState> before) {
        if (fact.readFailure().isPresent()) {
            return;
        }
        var doubts = decision.state().sinceStart().gpuSuspicions();
        var blind = doubts.unreadable();
        for (var entry : decision.state().gpus()) {
            var card = entry.getKey();
            var known = blind.get(card);
            var state = entry.getValue();
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
