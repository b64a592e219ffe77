package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * What was asked of an experiment has not been done: a {@link Problem} that also speaks the words
 * of those who know experiments.
 *
 * @param message the same as {@code detail}
 * @param reasons why its cards cannot be had now
 */
public record ExperimentRefused(
        boolean success,
        String message,
        String detail,
        String code,
        @Nullable String field,
        Map<String, String> params,
        List<Reason> reasons) {}
