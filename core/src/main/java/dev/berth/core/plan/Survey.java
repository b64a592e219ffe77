package dev.berth.core.plan;

import java.util.List;
import java.util.Optional;

/** What speaks for and against one card. */
public record Survey(Spot spot, Optional<Refusal> refusal, List<Scored> scores) {

    /** What one rule of placement says. */
    public record Scored(String rule, Score score) {}

    static Scored scored(Placement rule, Ask ask, Spot spot, Snapshot snapshot) {
        return new Scored(rule.word(), rule.score(ask, spot, snapshot.at()));
    }
}
