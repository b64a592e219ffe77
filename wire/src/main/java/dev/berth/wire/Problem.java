package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * The body of every error response.
 *
 * @param field the request field at fault, if it is a single one
 */
public record Problem(
        String detail, String code, @Nullable String field, Map<String, String> params) {}
