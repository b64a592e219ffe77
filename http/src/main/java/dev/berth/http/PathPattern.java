package dev.berth.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A path with parameters, written {@code /api/tasks/{id}}. A last part {@code {path*}} matches all
 * remaining segments.
 *
 * @param params one for each part in braces, in the same order
 */
public record PathPattern(String text, List<Param<?>> params) {

    public PathPattern {
        params = List.copyOf(params);
        var named =
                segments(text).stream()
                        .filter(PathPattern::isParameter)
                        .map(PathPattern::name)
                        .toList();
        if (!named.equals(params.stream().map(Param::name).toList())) {
            throw new IllegalArgumentException(text + " and its parameters do not agree");
        }
    }

    public static PathPattern of(String text, Param<?>... params) {
        return new PathPattern(text, List.of(params));
    }

    /** The values of the parameters, if the path matches. */
    Optional<Map<String, String>> match(List<String> path) {
        var pattern = segments(text);
        var values = new TreeMap<String, String>();
        if (endsWithWildcard() && path.size() >= pattern.size()) {
            int fixed = pattern.size() - 1;
            values.put(name(pattern.getLast()), String.join("/", path.subList(fixed, path.size())));
            return hasSamePrefix(pattern, path, fixed) ? Optional.of(values) : Optional.empty();
        }
        if (pattern.size() != path.size()) {
            return Optional.empty();
        }
        for (int i = 0; i < pattern.size(); i++) {
            if (isParameter(pattern.get(i))) {
                values.put(name(pattern.get(i)), path.get(i));
            } else if (!pattern.get(i).equals(path.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(values);
    }

    private boolean endsWithWildcard() {
        return text.endsWith("*}");
    }

    private static boolean hasSamePrefix(List<String> pattern, List<String> path, int count) {
        return pattern.subList(0, count).equals(path.subList(0, count));
    }

    /** The segments of a path; a trailing slash is ignored. */
    static List<String> segments(String path) {
        var parts = new ArrayList<>(List.of(path.split("/", -1)));
        if (parts.size() > 1 && parts.getLast().isEmpty()) {
            parts.removeLast();
        }
        return parts;
    }

    private static boolean isParameter(String segment) {
        return segment.startsWith("{");
    }

    private static String name(String segment) {
        return segment.substring(1, segment.length() - 1).replace("*", "");
    }
}
