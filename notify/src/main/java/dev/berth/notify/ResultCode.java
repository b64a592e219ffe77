package dev.berth.notify;

import dev.berth.json.WireJson;

import tools.jackson.core.JacksonException;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads the result code of a chat robot. Robots answer every request with status 200; a number in
 * the body tells whether they accepted the message.
 */
final class ResultCode {

    private static final int MAX_LENGTH = 200;

    private ResultCode() {}

    /**
     * The reason why the message was refused; empty if it was accepted.
     *
     * @param code the field that is 0 on success
     * @param words the field with the error text
     */
    static Optional<String> refusalReason(String answer, String code, String words) {
        try {
            var tree = WireJson.readTree(answer.getBytes(StandardCharsets.UTF_8));
            var number = tree.path(code);
            if (number.isIntegralNumber() && number.asLong() == 0) {
                return Optional.empty();
            }
            if (number.isIntegralNumber()) {
                return Optional.of(
                        code + " " + number.asLong() + shorten(tree.path(words).asString("")));
            }
        } catch (JacksonException _) {
            // A body that is not JSON has no code.
        }
        return Optional.of("the answer has no " + code);
    }

    private static String shorten(String words) {
        var line = words.replaceAll("\\p{Cntrl}", " ").strip();
        if (line.isEmpty()) {
            return "";
        }
        return ": " + (line.length() > MAX_LENGTH ? line.substring(0, MAX_LENGTH) + "…" : line);
    }
}
