package dev.berth.core.plan;

import dev.berth.core.lane.GpuSelection;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;

import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;

/**
 * What a shape requires of each GPU, with the memory resolved.
 *
 * @param neededMib if absent, the GPU must be nearly empty
 * @param marginMib memory that must be free in addition
 * @param isShared other sharing tasks may use the same GPU
 * @param isCall a worker of the model runs it
 * @param closed the reservations whose GPUs it may not use
 */
public record GpuRequirement(
        Need.Gpus need,
        Optional<String> model,
        OptionalLong neededMib,
        long marginMib,
        GpuSelection gpuSelection,
        boolean isShared,
        boolean isCall,
        SortedSet<Long> closed) {

    private static final SortedSet<Long> NONE = Collections.emptySortedSet();

    static GpuRequirement of(Need.Gpus need, Shape shape, SchedulingRules rules) {
        var selection = shape.gpuSelection();
        boolean isShared =
                need.memory().isShared()
                        || (selection.yieldsToOthers() && rules.lanes().isExtreme());
        var model = shape.work().flatMap(work -> work.model());
        boolean isCall = shape.work().filter(work -> work.isCall()).isPresent();
        if (need.memory().mib().isPresent() || shape.work().isEmpty()) {
            return new GpuRequirement(
                    need, model, need.memory().mib(), 0, selection, isShared, isCall, NONE);
        }
        var estimates = rules.estimates();
        long estimate = estimates.mib(shape.work().get());
        return new GpuRequirement(
                need,
                model,
                OptionalLong.of(estimate),
                estimates.marginMib(),
                selection,
                isShared,
                isCall,
                NONE);
    }

    /** The same with other reservations whose GPUs it may not use. */
    GpuRequirement with(SortedSet<Long> others) {
        return others.isEmpty()
                ? this
                : new GpuRequirement(
                        need, model, neededMib, marginMib, gpuSelection, isShared, isCall, others);
    }

    /** The memory was not stated but estimated from the model and the computation. */
    public boolean isEstimated() {
        return neededMib.isPresent() && need.memory().mib().isEmpty();
    }
}
