package dev.berth.cli.link;

import java.util.Map;

/**
 * One answer.
 *
 * @param headers by lower-case name; of a repeated one, the last
 */
public record Reply(int status, Map<String, String> headers, String body) {

    public String header(String lowerCaseName) {
        return headers.getOrDefault(lowerCaseName, "");
    }

    public boolean isRefusal() {
        return status >= 400;
    }
}
