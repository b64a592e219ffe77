package dev.berth.texts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A sentence with places for values.
 *
 * <table>
 *   <tr><td>{@code {name}}</td><td>the value; {@code -} if there is none</td></tr>
 *   <tr><td>{@code {count:1 GPU|# GPUs}}</td><td>the first form if the value is 1, else the
 *   second; {@code #} is the value</td></tr>
 *   <tr><td>{@code {limit:duration}}</td><td>a number of seconds as a duration</td></tr>
 *   <tr><td>{@code {until:time}}</td><td>a timestamp as people read it, without fractions of a
 *   second</td></tr>
 *   <tr><td>{@code [ by {user}]}</td><td>left out if one of its values is missing or empty;
 *   the values of a bracket inside do not count</td></tr>
 *   <tr><td>a backslash before a brace or bracket</td><td>the character itself</td></tr>
 * </table>
 *
 * The console has the same grammar; {@code templates.txt} among the tests' resources holds examples
 * for both.
 */
public final class Template {

    private static final String BRACES = "{}[]";

    /** As the API writes it. A value that is already a text for people stays. */
    private static final Pattern TIMESTAMP =
            Pattern.compile("(\\d{4}-\\d\\d-\\d\\d)T(\\d\\d:\\d\\d:\\d\\d)(?:\\.\\d+)?Z");

    private final List<Piece> pieces;

    private Template(List<Piece> pieces) {
        this.pieces = pieces;
    }

    private sealed interface Piece {
        record Text(String text) implements Piece {}

        record Value(String name) implements Piece {}

        record Plural(String name, String one, String other) implements Piece {}

        record Seconds(String name) implements Piece {}

        record Time(String name) implements Piece {}

        record Optional(Template inner) implements Piece {}
    }

    /**
     * Reads a template.
     *
     * @throws IllegalArgumentException if a brace or bracket is not closed
     */
    public static Template parse(String text) {
        return new Parser(text).parse();
    }

    /** The names of all values. */
    public Set<String> names() {
        var names = new TreeSet<String>();
        for (var piece : pieces) {
            switch (piece) {
                case Piece.Text _ -> {}
                case Piece.Value(var name) -> names.add(name);
                case Piece.Plural(var name, _, _) -> names.add(name);
                case Piece.Seconds(var name) -> names.add(name);
                case Piece.Time(var name) -> names.add(name);
                case Piece.Optional(var inner) -> names.addAll(inner.names());
            }
        }
        return names;
    }

    /** The names outside of brackets. */
    private Stream<String> ownNames() {
        return pieces.stream()
                .filter(piece -> !(piece instanceof Piece.Optional))
                .flatMap(piece -> new Template(List.of(piece)).names().stream());
    }

    /** The sentence with its values. */
    public String render(Map<String, String> values, Language language) {
        var text = new StringBuilder();
        for (var piece : pieces) {
            text.append(
                    switch (piece) {
                        case Piece.Text(var literal) -> literal;
                        case Piece.Value(var name) -> value(values, name);
                        case Piece.Plural(var name, var one, var other) -> {
                            var count = value(values, name);
                            yield (count.equals("1") ? one : other).replace("#", count);
                        }
                        case Piece.Seconds(var name) -> seconds(value(values, name), language);
                        case Piece.Time(var name) -> time(value(values, name));
                        case Piece.Optional(var inner) ->
                                inner.ownNames().anyMatch(name -> isMissing(values, name))
                                        ? ""
                                        : inner.render(values, language);
                    });
        }
        return text.toString();
    }

    /**
     * The values of a rendered sentence; empty if the text is not this sentence. Only for templates
     * of plain places, such as {@code {name}}.
     */
    public Optional<Map<String, String>> match(String text) {
        // Most texts are no sentence of most templates; this is cheaper than a pattern.
        if (pieces.getFirst() instanceof Piece.Text(var start) && !text.startsWith(start)) {
            return Optional.empty();
        }
        var pattern = new StringBuilder();
        var order = new ArrayList<String>();
        for (var piece : pieces) {
            switch (piece) {
                case Piece.Text(var literal) -> pattern.append(Pattern.quote(literal));
                case Piece.Value(var name) -> {
                    order.add(name);
                    pattern.append("(.*?)");
                }
                case Piece.Plural _, Piece.Seconds _, Piece.Time _, Piece.Optional _ ->
                        throw new IllegalStateException("not a plain template");
            }
        }
        var found = Pattern.compile(pattern.toString(), Pattern.DOTALL).matcher(text);
        if (!found.matches()) {
            return Optional.empty();
        }
        var values = new TreeMap<String, String>();
        for (int i = 0; i < order.size(); i++) {
            values.put(order.get(i), found.group(i + 1));
        }
        return Optional.of(values);
    }

    private static boolean isMissing(Map<String, String> values, String name) {
        return values.getOrDefault(name, "").isEmpty();
    }

    private static String value(Map<String, String> values, String name) {
        return values.getOrDefault(name, "-");
    }

    private static String seconds(String value, Language language) {
        return value.matches("[0-9]{1,15}")
                ? language.duration(Duration.ofSeconds(Long.parseLong(value)))
                : value;
    }

    private static String time(String value) {
        var parts = TIMESTAMP.matcher(value);
        return parts.matches() ? parts.group(1) + " " + parts.group(2) + " UTC" : value;
    }

    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Template parse() {
            var all = pieces(false);
            if (at < text.length()) {
                throw unclosed();
            }
            return all;
        }

        private Template pieces(boolean isOptional) {
            var pieces = new ArrayList<Piece>();
            var literal = new StringBuilder();
            while (at < text.length()) {
                char c = text.charAt(at);
                boolean isEscaped =
                        c == '\\'
                                && at + 1 < text.length()
                                && BRACES.indexOf(text.charAt(at + 1)) >= 0;
                if (isEscaped || BRACES.indexOf(c) < 0) {
                    literal.append(isEscaped ? text.charAt(at + 1) : c);
                    at += isEscaped ? 2 : 1;
                    continue;
                }
                if (!literal.isEmpty()) {
                    pieces.add(new Piece.Text(literal.toString()));
                    literal.setLength(0);
                }
                if (c == ']' && isOptional) {
                    return new Template(List.copyOf(pieces));
                }
                pieces.add(special(c));
            }
            if (isOptional) {
                throw unclosed();
            }
            if (!literal.isEmpty()) {
                pieces.add(new Piece.Text(literal.toString()));
            }
            return new Template(List.copyOf(pieces));
        }

        private Piece special(char c) {
            at++;
            return switch (c) {
                case '{' -> place();
                case '[' -> {
                    var inner = pieces(true);
                    at++;
                    yield new Piece.Optional(inner);
                }
                default -> throw unclosed();
            };
        }

        private Piece place() {
            int end = text.indexOf('}', at);
            if (end < 0) {
                throw unclosed();
            }
            var inside = text.substring(at, end);
            at = end + 1;
            int colon = inside.indexOf(':');
            if (colon < 0) {
                return new Piece.Value(inside);
            }
            var name = inside.substring(0, colon);
            var form = inside.substring(colon + 1);
            if (form.equals("duration")) {
                return new Piece.Seconds(name);
            }
            if (form.equals("time")) {
                return new Piece.Time(name);
            }
            int bar = form.indexOf('|');
            if (bar < 0) {
                throw new IllegalArgumentException("no such form of a value: " + inside);
            }
            return new Piece.Plural(name, form.substring(0, bar), form.substring(bar + 1));
        }

        private IllegalArgumentException unclosed() {
            return new IllegalArgumentException("a brace or bracket is not closed in: " + text);
        }
    }
}
