package dev.berth.findings.log;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The names of machines that pdsh, clush and DeepSpeed print before the lines of a log. One line
 * alone does not show whether a word before a colon is such a name: a tool begins its messages in
 * the same way.
 */
final class HostNames {

    /** Such a name occurs on this number of lines. */
    private static final int MIN_LINES = 3;

    private static final int MAX_NAME_CHARS = 63;

    /** With a digit, but not one that counts: {@code epoch_3:} is no name. */
    private static final Pattern NAME =
            Pattern.compile(
                    "(?!(?i:epoch|step|iter|batch|fold|round|trial|run|test|task|line|layer)[a-z]{0,8}[-_.]?\\d)"
                        + "[A-Za-z][\\w.-]*\\d[\\w.-]*");

    private static final Pattern DIGITS = Pattern.compile("\\d+");

    private final Set<String> shapes;

    private HostNames(Set<String> shapes) {
        this.shapes = shapes;
    }

    /** Empty if not at least half of the lines begin with a name. */
    static HostNames in(List<String> lines) {
        Map<String, Integer> known = new HashMap<>();
        for (var line : lines) {
            var name = nameIn(line);
            if (!name.isEmpty()) {
                known.merge(name, 1, Integer::sum);
            }
        }
        var shapes = new HashSet<String>();
        int named = 0;
        for (var name : known.entrySet()) {
            if (name.getValue() >= MIN_LINES) {
                shapes.add(shape(name.getKey()));
                named += name.getValue();
            }
        }
        return new HostNames(2 * named >= lines.size() ? Set.copyOf(shapes) : Set.of());
    }

    /** The name before the line; empty if there is none. */
    String before(String line) {
        if (shapes.isEmpty()) {
            return "";
        }
        var name = nameIn(line);
        return !name.isEmpty() && shapes.contains(shape(name)) ? name : "";
    }

    private static String nameIn(String line) {
        int end = line.indexOf(':');
        boolean isFirstWord =
                end > 0
                        && end <= MAX_NAME_CHARS
                        && (end + 1 == line.length() || line.charAt(end + 1) == ' ');
        return isFirstWord && NAME.matcher(line).region(0, end).matches()
                ? line.substring(0, end)
                : "";
    }

    /** A machine that prints a single line is named like the others. */
    private static String shape(String name) {
        return DIGITS.matcher(name).replaceAll("0");
    }
}
