package dev.berth.core.plan;

import dev.berth.core.task.Manners;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is asked of each card, with the memory worked out.
 *
 * @param neededMib absent: the card must be nearly empty
 * @param marginMib must be free beyond that
 * @param isShared others that share may be on the same card
 */
public record Ask(
        Need.Cards need,
        Optional<String> model,
        OptionalLong neededMib,
        long marginMib,
        Manners manners,
        boolean isShared) {

    static Ask of(Need.Cards need, Shape shape, Rules rules) {
        var manners = shape.manners();
        boolean isShared =
                need.memory().isShared() || (manners.arePolite() && rules.lanes().isExtreme());
        var model = shape.work().flatMap(work -> work.model());
        if (need.memory().mib().isPresent() || shape.work().isEmpty()) {
            return new Ask(need, model, need.memory().mib(), 0, manners, isShared);
        }
        var estimates = rules.estimates();
        long estimate = estimates.mib(shape.work().get());
        return new Ask(
                need, model, OptionalLong.of(estimate), estimates.marginMib(), manners, isShared);
    }

    /** Nobody stated it: it follows from the model and the work. */
    public boolean isEstimated() {
        return neededMib.isPresent() && need.memory().mib().isEmpty();
    }
}
