package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/** Settings to save; absent keys stay unchanged, null restores the default. */
public record SettingChange(
        @Nullable Integer port, @Nullable Boolean autoPort, @Nullable String publicUrl) {}
