package dev.berth.wire;

import java.util.List;

/**
 * A request about an experiment was rejected: a {@link Problem} with the additional fields that
 * clients of the experiment API expect.
 *
 * @param message the same as {@code detail}
 * @param reasons why its GPUs are not available now
 */
public record ExperimentRefused(
        boolean success, String message, @Flat Problem problem, List<Reason> reasons) {}
