package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.predict.Learned;
import dev.berth.core.predict.RunGroup;
import dev.berth.port.Change;

import java.util.List;
import java.util.Map;

/** Decides requests to forget earlier runs. */
final class LearnedDecider {

    private LearnedDecider() {}

    static EngineReply decide(Decision decision, EngineCommand.ForgetRuns forget) {
        if (forget.fingerprint().isEmpty() && forget.mayForgetOthers()) {
            decision.save(new Change.RunsForgotten(Learned.ALL, decision.at()));
            return new EngineReply.Done();
        }
        var chosen = chosen(decision, forget);
        if (chosen.isEmpty() && forget.fingerprint().isPresent()) {
            var id = Long.toHexString(forget.fingerprint().getAsLong());
            return new EngineReply.Refused(
                    Rejected.notFound("learned.unknown").with("fingerprint", id));
        }
        for (var fingerprint : chosen) {
            decision.save(new Change.RunsForgotten(fingerprint, decision.at()));
        }
        return new EngineReply.Done();
    }

    private static List<Long> chosen(Decision decision, EngineCommand.ForgetRuns forget) {
        return decision.state().sinceStart().learned().fingerprints().stream()
                .filter(
                        one ->
                                forget.fingerprint().isEmpty()
                                        || forget.fingerprint().getAsLong() == one.getKey())
                .filter(one -> mayForget(forget, one.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean mayForget(EngineCommand.ForgetRuns forget, RunGroup group) {
        return forget.mayForgetOthers() || group.kind().owner().equals(forget.actor());
    }
}
