package dev.berth.core.diagnosis;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What shows a cause. */
sealed interface Rule {

    Pattern FIGURE = Pattern.compile("\\d$");

    Cause cause();

    /**
     * A line that says so. What its pattern's groups hold goes into the diagnosis under their
     * names; a pattern that has one name several times tells them apart by a figure.
     *
     * @param where it must stand to be believed
     * @param pick which, where several lines say so
     * @param exitCode only with this one; 0 for any
     */
    record Text(Cause cause, Where where, Pattern pattern, Pick pick, int exitCode)
            implements Rule {

        /** The last of them. */
        Text(Cause cause, Where where, String pattern) {
            this(cause, where, Pattern.compile(pattern), Pick.LAST, 0);
        }

        Text first() {
            return new Text(cause, where, pattern, Pick.FIRST, exitCode);
        }

        Text withExit(int code) {
            return new Text(cause, where, pattern, pick, code);
        }
    }

    /** The exit code alone, where nothing that is printed says more. */
    record Exit(Cause cause, int code) implements Rule {}

    enum Where {
        /** At the end of a traceback. */
        RAISED,
        /** The same, of one that only tells of another failure. */
        FOLLOWING,
        /** At the end of a traceback, or alone on a line. */
        EXCEPTION,
        /** In any line that states it and does not merely speak of it. */
        STATEMENT,
        /** The same among the last lines: harmless so often that only the end counts. */
        AT_THE_END,
        /** However it is said: nobody else uses these words. */
        ANYWHERE
    }

    /** The first is the root where others follow from it; the last is the clearest otherwise. */
    enum Pick {
        FIRST,
        LAST
    }

    static SortedMap<String, String> named(Pattern pattern, Matcher match) {
        var found = new TreeMap<String, String>();
        for (var group : pattern.namedGroups().keySet()) {
            var value = match.group(group);
            if (value != null) {
                found.put(FIGURE.matcher(group).replaceFirst(""), value);
            }
        }
        return found;
    }
}
