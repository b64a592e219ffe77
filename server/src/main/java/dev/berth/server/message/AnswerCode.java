package dev.berth.server.message;

import dev.berth.server.http.Json;

import tools.jackson.core.JacksonException;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Robots answer 200 to everything; whether they took a message is in a number of the answer. */
final class AnswerCode {

    private static final int LONGEST = 200;

    private AnswerCode() {}

    /**
     * Why it was refused, if so.
     *
     * @param code the field that is 0 where all is well
     * @param words the field that says why it is not
     */
    static Optional<String> complaint(String answer, String code, String words) {
        try {
            var tree = Json.tree(answer.getBytes(StandardCharsets.UTF_8));
            var number = tree.path(code);
            if (number.isIntegralNumber() && number.asLong() == 0) {
                return Optional.empty();
            }
            if (number.isIntegralNumber()) {
                return Optional.of(
                        code + " " + number.asLong() + cut(tree.path(words).asString("")));
            }
        } catch (JacksonException _) {
            // What is no JSON has no code either.
        }
        return Optional.of("the answer has no " + code);
    }

    private static String cut(String words) {
        var line = words.replaceAll("\\p{Cntrl}", " ").strip();
        if (line.isEmpty()) {
            return "";
        }
        return ": " + (line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line);
    }
}
