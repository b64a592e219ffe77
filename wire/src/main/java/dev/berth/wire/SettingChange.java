package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/** Settings to be saved; what is left out stays, null goes back to the usual. */
public record SettingChange(
        @Nullable Integer port, @Nullable Boolean autoPort, @Nullable String publicUrl) {}
