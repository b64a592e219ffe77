package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Whether all is well.
 *
 * @param problems what is not, in plain words; absent when {@code status} is {@code ok}, and for
 *     strangers
 */
public record Health(String status, @Nullable List<String> problems) {

    public static final Health OK = new Health("ok", null);
}
