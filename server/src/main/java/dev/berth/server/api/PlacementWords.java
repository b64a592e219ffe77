package dev.berth.server.api;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.plan.Headroom;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Score;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Survey;
import dev.berth.core.plan.Verdict;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;
import dev.berth.wire.Placement;
import dev.berth.wire.Reason;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** What the planner says of one task and every card, as it travels. */
record PlacementWords(Planner planner, Snapshot snapshot, Task task) {

    private static final String BALANCED = "balanced";
    private static final String AFFINITY = "model_affinity";

    /** It starts in the next pass. */
    Placement starting(Verdict.Start start) {
        return words(true, List.of(), cards(start));
    }

    /** It waits; what it would take is said as if it were its turn. */
    Placement waiting(Verdict.Wait wait) {
        return waiting(ReasonWords.of(wait));
    }

    Placement waiting(List<Reason> reasons) {
        var chosen =
                planner.byHand(snapshot.unpaused(), task, false) instanceof Verdict.Start start
                        ? cards(start)
                        : Set.<CardId>of();
        return words(false, reasons, chosen);
    }

    /** It waits for nothing any more. */
    Placement over() {
        return words(false, List.of(), Set.of());
    }

    private static Set<CardId> cards(Verdict.Start start) {
        return start.claims().stream().map(Claim::card).collect(Collectors.toSet());
    }

    private Placement words(boolean wouldStart, List<Reason> reasons, Set<CardId> chosen) {
        return new Placement(
                task.id().value(),
                task.state().word(),
                selector(),
                need(),
                wouldStart,
                reasons,
                planner.survey(snapshot, task).stream().map(one -> gpu(one, chosen)).toList());
    }

    /** Lanes have one of their own. */
    private String selector() {
        return planner.placement(Shape.of(task.spec())).word();
    }

    private Placement.Need need() {
        if (!(task.spec().need() instanceof Need.Cards need)) {
            return new Placement.Need(0, 0, null, "none", 0, null);
        }
        var ask = planner.ask(need, Shape.of(task.spec()));
        var memory = boxed(ask.neededMib());
        return new Placement.Need(
                need.count().least(),
                need.count().most(),
                memory,
                memory == null ? "none" : ask.isEstimated() ? "estimate" : "stated",
                ask.marginMib(),
                memory == null ? planner.rules().thresholdPercent() : null);
    }

    private Placement.Gpu gpu(Survey survey, Set<CardId> chosen) {
        var spot = survey.spot();
        var card = spot.state().card();
        var reading =
                spot.state() instanceof CardState.Readable(_, Reading said)
                        ? Optional.of(said)
                        : Optional.<Reading>empty();
        var scores = new LinkedHashMap<String, Placement.Score>();
        survey.scores().forEach(scored -> scores.put(scored.rule(), score(scored.score())));
        return new Placement.Gpu(
                card.index(),
                card.id().uuid(),
                card.model(),
                card.totalMib(),
                reading.map(said -> boxed(said.freeMib())).orElse(null),
                reading.map(said -> boxed(Headroom.mib(said, spot.holds()))).orElse(null),
                survey.refusal().isEmpty(),
                chosen.contains(card.id()),
                survey.refusal().map(refusal -> ReasonWords.of(card, refusal)).orElse(null),
                total(scores, selector()),
                affinity(scores),
                rounded(total(scores, BALANCED) - affinity(scores)),
                scores);
    }

    private static double total(Map<String, Placement.Score> scores, String rule) {
        var score = scores.get(rule);
        return score == null ? 0 : score.total();
    }

    /** What the model has to do with it; the rest of that rule is how little the card has to do. */
    private static double affinity(Map<String, Placement.Score> scores) {
        var score = scores.get(BALANCED);
        return score == null ? 0 : score.parts().getOrDefault(AFFINITY, 0.0);
    }

    private static Placement.Score score(Score score) {
        var parts = new LinkedHashMap<String, Double>();
        score.parts().forEach(part -> parts.put(part.name(), rounded(part.value())));
        return new Placement.Score(rounded(score.total()), parts);
    }

    /** For people: what is beyond a thousandth of a point says nothing. */
    private static double rounded(double points) {
        return Math.round(points * 1000) / 1000.0;
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }
}
