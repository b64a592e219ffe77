package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * Why a command file was not written: a {@link Problem} with all invalid blocks.
 *
 * @param problems absent if the blocks are not the reason
 */
public record CommandRefused(
        String detail,
        String code,
        @Nullable String field,
        Map<String, String> params,
        @OmittedIfNull @Nullable List<FileProblem> problems) {}
