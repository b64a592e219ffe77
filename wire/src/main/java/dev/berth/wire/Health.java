package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Health of the server.
 *
 * @param problems in English; absent if {@code status} is {@code ok}, and for unauthenticated
 *     callers
 */
public record Health(String status, @OmittedIfNull @Nullable List<String> problems) {

    public static final Health OK = new Health("ok", null);
}
