package dev.berth.cli.client;

import java.util.Map;

/**
 * One HTTP reply.
 *
 * @param headers by lower-case name; a repeated header keeps its last value
 */
public record ApiReply(int status, Map<String, String> headers, String body) {

    public String header(String lowerCaseName) {
        return headers.getOrDefault(lowerCaseName, "");
    }

    public boolean isError() {
        return status >= 400;
    }
}
