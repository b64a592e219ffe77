package dev.berth.cli.client;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * One HTTP reply.
 *
 * @param headers by lower-case name; a repeated header keeps its last value
 * @param content the body
 */
public record ApiReply(int status, Map<String, String> headers, byte[] content) {

    public String header(String lowerCaseName) {
        return headers.getOrDefault(lowerCaseName, "");
    }

    public boolean isError() {
        return status >= 400;
    }

    public String body() {
        return new String(content, StandardCharsets.UTF_8);
    }
}
