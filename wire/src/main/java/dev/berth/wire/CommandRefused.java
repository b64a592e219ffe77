package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * A command file that was not written: a {@link Problem} that also names every block at fault.
 *
 * @param problems null where it was not the blocks
 */
public record CommandRefused(
        String detail,
        String code,
        @Nullable String field,
        Map<String, String> params,
        @Nullable List<FileProblem> problems) {}
