package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * The server's own settings and the machine it runs on.
 *
 * @param values by key, as they will be after a restart
 * @param addresses of the machine
 * @param url current address of the server
 * @param files configuration files in use
 * @param restartNeeded a saved value takes effect only after a restart
 */
public record Setting(
        Map<String, @Nullable Object> values,
        List<RuleEntry> entries,
        List<String> addresses,
        String hostname,
        String version,
        String java,
        String system,
        String home,
        String url,
        List<String> files,
        boolean restartNeeded) {}
