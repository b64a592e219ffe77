package dev.berth.findings.diagnosis;

import java.util.regex.Pattern;

/** Removes the indentation of a command's output that Nextflow or cargo prints below a heading. */
final class NestedOutput {

    private static final int INDENT = 2;

    private static final Pattern HEADING =
            Pattern.compile("^ {0,8}(?:Command (?:error|output):|--- std(?:err|out))$");

    /** Characters before the lines of the output; 0 outside of it. */
    private int indent;

    String outdent(String text) {
        boolean isInside = text.isBlank() || text.startsWith(" ".repeat(indent));
        indent = isInside ? indent : 0;
        var plain = text.isBlank() ? text : text.substring(indent);
        if (HEADING.matcher(plain).find()) {
            indent =
                    text.length()
                            - text.stripLeading().length()
                            + (text.startsWith(" ") ? 0 : INDENT);
        }
        return plain;
    }
}
