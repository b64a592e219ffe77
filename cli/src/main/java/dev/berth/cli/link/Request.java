package dev.berth.cli.link;

import java.time.Duration;
import java.util.Map;

/**
 * One request.
 *
 * @param target path and query, already encoded
 * @param body JSON text, or empty for none
 * @param patience how long the whole exchange may take
 */
public record Request(
        String method, String target, Map<String, String> headers, String body, Duration patience) {

    /** A server that commits to a slow disk is slow; one that is silent for longer is stuck. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    public static Request get(String target) {
        return new Request("GET", target, Map.of(), "", PATIENCE);
    }

    public static Request post(String target, String body) {
        return new Request("POST", target, Map.of(), body, PATIENCE);
    }

    public static Request put(String target, String body) {
        return new Request("PUT", target, Map.of(), body, PATIENCE);
    }

    public static Request patch(String target, String body) {
        return new Request("PATCH", target, Map.of(), body, PATIENCE);
    }

    public static Request delete(String target) {
        return new Request("DELETE", target, Map.of(), "", PATIENCE);
    }

    public Request with(String header, String value) {
        return new Request(method, target, Map.of(header, value), body, patience);
    }

    public Request within(Duration longer) {
        return new Request(method, target, headers, body, longer);
    }
}
