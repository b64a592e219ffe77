package dev.berth.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A path with parameters, written {@code /api/tasks/{id}}. A last part {@code {path*}} matches all
 * remaining segments.
 */
public final class PathPattern {

    private final String text;
    private final List<Param<?>> params;
    private final List<String> segments;

    private PathPattern(String text, List<Param<?>> params) {
        this.text = text;
        this.params = List.copyOf(params);
        this.segments = List.copyOf(segments(text));
        var named =
                segments.stream().filter(PathPattern::isParameter).map(PathPattern::name).toList();
        if (!named.equals(params.stream().map(Param::name).toList())) {
            throw new IllegalArgumentException(text + " and its parameters do not agree");
        }
    }

    /**
     * @param params one for each part in braces, in the same order
     */
    public static PathPattern of(String text, Param<?>... params) {
        return new PathPattern(text, List.of(params));
    }

    public String text() {
        return text;
    }

    public List<Param<?>> params() {
        return params;
    }

    /** The values of the parameters, if the path matches. */
    Optional<Map<String, String>> match(List<String> path) {
        var values = new TreeMap<String, String>();
        if (endsWithWildcard() && path.size() >= segments.size()) {
            int fixed = segments.size() - 1;
            values.put(
                    name(segments.getLast()), String.join("/", path.subList(fixed, path.size())));
            return hasSamePrefix(path, fixed) ? Optional.of(values) : Optional.empty();
        }
        if (segments.size() != path.size()) {
            return Optional.empty();
        }
        for (int i = 0; i < segments.size(); i++) {
            if (isParameter(segments.get(i))) {
                values.put(name(segments.get(i)), path.get(i));
            } else if (!segments.get(i).equals(path.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(values);
    }

    private boolean endsWithWildcard() {
        return text.endsWith("*}");
    }

    private boolean hasSamePrefix(List<String> path, int count) {
        return segments.subList(0, count).equals(path.subList(0, count));
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
