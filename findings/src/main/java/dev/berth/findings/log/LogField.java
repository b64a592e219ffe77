package dev.berth.findings.log;

import java.util.Optional;
import java.util.regex.Pattern;

/** The level in a line of fields: {@code {"level":"fatal", …}}, {@code level=error msg="…"}. */
final class LogField {

    private static final Pattern LEVEL =
            Pattern.compile(
                    "^\\{.{0,300}?\"(?:level|levelname|severity|lvl)\": ?\"(\\w{1,10})\""
                            + "|(?:^|\\s)(?:level|lvl)=\"?(\\w{1,10})\\b");

    private LogField() {}

    static Optional<LogLevel> level(String line) {
        // Most lines have no fields, and a search for a word is faster than a pattern.
        if (!line.contains("lvl") && !line.contains("level") && !line.contains("severity")) {
            return Optional.empty();
        }
        var match = LEVEL.matcher(line);
        return match.find()
                ? Optional.of(LogLevel.of(match.group(1) == null ? match.group(2) : match.group(1)))
                        .filter(level -> level != LogLevel.NONE)
                : Optional.empty();
    }
}
