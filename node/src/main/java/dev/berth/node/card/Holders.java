package dev.berth.node.card;

import dev.berth.core.card.CardState;
import dev.berth.core.plan.Hold;
import dev.berth.core.plan.Spot;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The attempts that are on this node now, with what they may use. */
final class Holders {

    private final SortedMap<AttemptId, Holder> all = new ConcurrentSkipListMap<>();

    /**
     * @param shim the first of its processes, once it lives
     */
    record Holder(AttemptId attempt, List<Claim> claims, Instant since, Optional<ProcessKey> shim) {

        Optional<Claim> claimOn(String uuid) {
            return claims.stream().filter(claim -> claim.card().uuid().equals(uuid)).findFirst();
        }
    }

    void granted(Attempt attempt) {
        var begun = attempt.phase().begun();
        all.put(
                attempt.id(),
                new Holder(
                        attempt.id(),
                        attempt.claims(),
                        begun.map(Run::startedAt).orElse(attempt.grantedAt()),
                        begun.map(Run::process)));
    }

    void came(AttemptId attempt, Run run) {
        all.computeIfPresent(
                attempt,
                (id, holder) ->
                        new Holder(
                                id, holder.claims(), run.startedAt(), Optional.of(run.process())));
    }

    Optional<Holder> gone(AttemptId attempt) {
        return Optional.ofNullable(all.remove(attempt));
    }

    Optional<Holder> find(AttemptId attempt) {
        return Optional.ofNullable(all.get(attempt));
    }

    /** The card as it is for one who comes anew. */
    Spot spot(CardState state, AttemptId newcomer) {
        var holds = new ArrayList<Hold>();
        for (var holder : all.values()) {
            if (!holder.attempt().equals(newcomer)) {
                holder.claimOn(state.card().id().uuid())
                        .ifPresent(claim -> holds.add(new Hold(holder.attempt(), claim)));
            }
        }
        return new Spot(state, holds, List.of());
    }

    List<Holder> now() {
        return List.copyOf(all.values());
    }
}
