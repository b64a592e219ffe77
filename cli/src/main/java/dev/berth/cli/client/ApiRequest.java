package dev.berth.cli.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One HTTP request.
 *
 * @param target path and query, already encoded
 * @param body JSON text, or empty for none
 * @param timeout the limit for the whole exchange
 */
public record ApiRequest(
        String method, String target, Map<String, String> headers, String body, Duration timeout) {

    /** A commit on a slow disk takes seconds. A server that is silent for longer is stuck. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    public static ApiRequest get(String target) {
        return new ApiRequest("GET", target, Map.of(), "", DEFAULT_TIMEOUT);
    }

    public static ApiRequest post(String target, String body) {
        return new ApiRequest("POST", target, Map.of(), body, DEFAULT_TIMEOUT);
    }

    public static ApiRequest put(String target, String body) {
        return new ApiRequest("PUT", target, Map.of(), body, DEFAULT_TIMEOUT);
    }

    public static ApiRequest patch(String target, String body) {
        return new ApiRequest("PATCH", target, Map.of(), body, DEFAULT_TIMEOUT);
    }

    public static ApiRequest delete(String target) {
        return new ApiRequest("DELETE", target, Map.of(), "", DEFAULT_TIMEOUT);
    }

    public ApiRequest withHeader(String header, String value) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(header, value);
        return new ApiRequest(method, target, all, body, timeout);
    }

    public ApiRequest withTimeout(Duration longer) {
        return new ApiRequest(method, target, headers, body, longer);
    }
}
