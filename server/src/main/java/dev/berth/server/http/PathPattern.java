package dev.berth.server.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A path with typed parts, written {@code /api/tasks/{id}}. A last part {@code {path*}} takes all
 * that follows.
 *
 * @param params one for each part in braces, by name
 */
public record PathPattern(String text, List<Param<?>> params) {

    public PathPattern {
        params = List.copyOf(params);
        var named =
                segments(text).stream().filter(PathPattern::isOpen).map(PathPattern::name).toList();
        if (!named.equals(params.stream().map(Param::name).toList())) {
            throw new IllegalArgumentException(text + " and its parameters do not agree");
        }
    }

    public static PathPattern of(String text, Param<?>... params) {
        return new PathPattern(text, List.of(params));
    }

    /** The texts of its open parts, if the path is one of these. */
    Optional<Map<String, String>> match(List<String> path) {
        var own = segments(text);
        var values = new TreeMap<String, String>();
        if (isOpenEnded() && path.size() >= own.size()) {
            int fixed = own.size() - 1;
            values.put(name(own.getLast()), String.join("/", path.subList(fixed, path.size())));
            return startsAlike(own, path, fixed) ? Optional.of(values) : Optional.empty();
        }
        if (own.size() != path.size()) {
            return Optional.empty();
        }
        for (int i = 0; i < own.size(); i++) {
            if (isOpen(own.get(i))) {
                values.put(name(own.get(i)), path.get(i));
            } else if (!own.get(i).equals(path.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(values);
    }

    private boolean isOpenEnded() {
        return text.endsWith("*}");
    }

    private static boolean startsAlike(List<String> own, List<String> path, int count) {
        return own.subList(0, count).equals(path.subList(0, count));
    }

    /** The parts of a path; a slash at its end says nothing. */
    static List<String> segments(String path) {
        var parts = new ArrayList<>(List.of(path.split("/", -1)));
        if (parts.size() > 1 && parts.getLast().isEmpty()) {
            parts.removeLast();
        }
        return parts;
    }

    private static boolean isOpen(String segment) {
        return segment.startsWith("{");
    }

    private static String name(String segment) {
        return segment.substring(1, segment.length() - 1).replace("*", "");
    }
}
