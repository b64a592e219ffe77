package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.predict.Learned;
import dev.berth.core.predict.RunGroup;
import dev.berth.port.Change;
import dev.berth.port.event.ServerPayload.LearnedForgotten;

import java.util.List;
import java.util.Map;

/** Decides requests to forget earlier runs. */
final class LearnedDecider {

    private static final String ALL = "all";

    private LearnedDecider() {}

    static EngineReply decide(Decision decision, EngineCommand.ForgetRuns forget) {
        var chosen = chosen(decision, forget);
        if (chosen.isEmpty() && forget.fingerprint().isPresent()) {
            var id = Long.toHexString(forget.fingerprint().getAsLong());
            return new EngineReply.Refused(
                    Rejected.notFound("learned.unknown").with("fingerprint", id));
        }
        boolean isOfEveryone = forget.fingerprint().isEmpty() && forget.mayForgetOthers();
        if (isOfEveryone) {
            // Also those that were not read from the store yet.
            decision.save(new Change.RunsForgotten(Learned.ALL, decision.at()));
        } else {
            chosen.forEach(
                    one -> decision.save(new Change.RunsForgotten(one.getKey(), decision.at())));
        }
        if (isOfEveryone || !chosen.isEmpty()) {
            decision.addEvent(forget.actor(), event(forget, isOfEveryone, chosen));
        }
        return new EngineReply.Done();
    }

    private static LearnedForgotten event(
            EngineCommand.ForgetRuns forget,
            boolean isOfEveryone,
            List<Map.Entry<Long, RunGroup>> chosen) {
        if (forget.fingerprint().isEmpty()) {
            var owner = isOfEveryone ? "" : forget.actor().name();
            return new LearnedForgotten(ALL, "", owner, chosen.size());
        }
        var one = chosen.getFirst();
        var kind = one.getValue().kind();
        return new LearnedForgotten(
                Long.toHexString(one.getKey()), kind.name(), kind.owner().name(), 1);
    }

    private static List<Map.Entry<Long, RunGroup>> chosen(
            Decision decision, EngineCommand.ForgetRuns forget) {
        return decision.state().sinceStart().learned().fingerprints().stream()
                .filter(
                        one ->
                                forget.fingerprint().isEmpty()
                                        || forget.fingerprint().getAsLong() == one.getKey())
                .filter(one -> mayForget(forget, one.getValue()))
                .toList();
    }

    private static boolean mayForget(EngineCommand.ForgetRuns forget, RunGroup group) {
        return forget.mayForgetOthers() || group.kind().owner().equals(forget.actor());
    }
}
