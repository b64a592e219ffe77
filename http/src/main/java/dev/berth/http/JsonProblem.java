package dev.berth.http;

import tools.jackson.core.JacksonException;

import java.util.regex.Pattern;

/** Why a text is not JSON, in the words of its parser without those for its programmers. */
final class JsonProblem {

    /** {@code (start marker at [Source: …])}: the parser reads a text, so it knows no source. */
    private static final Pattern SOURCE = Pattern.compile(" *\\([^()\\[\\]]*\\[Source: .*?]\\)");

    /** Options of the parser, which nobody can set from outside. */
    private static final Pattern OPTION =
            Pattern.compile(
                    ": enable `[^`]*` to allow|, from `[^`]*`| \\([^()]*\\bFeature"
                            + " '[^']*'[^()]*\\)");

    private static final int MAX_LENGTH = 200;

    private JsonProblem() {}

    static String of(JacksonException failure) {
        var message = String.valueOf(failure.getOriginalMessage());
        var why = OPTION.matcher(SOURCE.matcher(message).replaceAll("")).replaceAll("");
        return why.length() > MAX_LENGTH ? why.substring(0, MAX_LENGTH) + "…" : why;
    }
}
