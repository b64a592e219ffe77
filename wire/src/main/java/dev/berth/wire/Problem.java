package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * Every error has this body.
 *
 * @param field the field at fault, if it is one
 */
public record Problem(
        String detail, String code, @Nullable String field, Map<String, String> params) {}
