package dev.berth.server.config;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentEndEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Where in a text each key and its value stand. Only for a text that {@link YamlFile} has read:
 * what that refuses is not looked for again.
 *
 * @param letters the text by code points, in which the parser counts
 * @param root empty where there is no key at all
 * @param scalars everything that stands for itself, in the order of the text
 * @param end where a line says that the document ends
 */
record YamlOutline(int[] letters, Optional<Group> root, List<Span> scalars, OptionalInt end) {

    /**
     * @param to just after the last letter
     */
    record Span(int from, int to) {}

    /** What stands after a key. */
    sealed interface Part {
        /** Just after its last letter. */
        int end();
    }

    /**
     * @param isBlock over lines of its own, after {@code |} or {@code >}
     * @param isNothing {@code null} or nothing at all
     */
    record Single(Span span, boolean isBlock, boolean isNothing) implements Part {
        @Override
        public int end() {
            return span.to();
        }
    }

    /**
     * @param isFlow in brackets
     */
    record Listing(Span span, boolean isFlow, List<Span> items) implements Part {
        @Override
        public int end() {
            return isFlow ? span.to() : items.getLast().to();
        }
    }

    /**
     * @param isFlow in braces
     */
    record Group(Span span, boolean isFlow, List<Entry> entries) implements Part {
        @Override
        public int end() {
            return isFlow ? span.to() : entries.getLast().value().end();
        }
    }

    /**
     * @param name with the names of its groups
     */
    record Entry(String name, Span key, Part value, boolean isInBraces) {}

    static YamlOutline of(String text) {
        return new Walk(text).outline();
    }

    /** The key of this name, wherever it stands. */
    Optional<Entry> find(String name) {
        return root.flatMap(group -> find(group, name));
    }

    private static Optional<Entry> find(Group group, String name) {
        for (var entry : group.entries()) {
            if (entry.name().equals(name)) {
                return Optional.of(entry);
            }
            if (entry.value() instanceof Group inner) {
                var found = find(inner, name);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    /** Every comment, from its sign to the end of its line. */
    List<Span> comments() {
        var comments = new ArrayList<Span>();
        var inner = scalars.iterator();
        var next = inner.hasNext() ? inner.next() : null;
        for (int at = 0; at < letters.length; at++) {
            while (next != null && next.to() <= at) {
                next = inner.hasNext() ? inner.next() : null;
            }
            if (next != null && next.from() <= at) {
                at = next.to() - 1;
            } else if (letters[at] == '#' && (at == 0 || isBlank(letters[at - 1]))) {
                int end = lineEnd(at);
                comments.add(new Span(at, end));
                at = end;
            }
        }
        return comments;
    }

    String text(int from, int to) {
        return new String(letters, from, to - from);
    }

    int lineStart(int at) {
        int start = at;
        while (start > 0 && !isBreak(letters[start - 1])) {
            start--;
        }
        return start;
    }

    /** Before the line's break, or at the end of the text. */
    int lineEnd(int at) {
        int end = at;
        while (end < letters.length && !isBreak(letters[end])) {
            end++;
        }
        return end;
    }

    /** After the line's break, or at the end of the text. */
    int nextLine(int at) {
        int end = lineEnd(at);
        boolean isPair =
                end + 1 < letters.length && letters[end] == '\r' && letters[end + 1] == '\n';
        return Math.min(letters.length, end + (isPair ? 2 : 1));
    }

    /** What stands before it in its line. */
    String before(int at) {
        return text(lineStart(at), at);
    }

    private static boolean isBreak(int letter) {
        return letter == '\n' || letter == '\r';
    }

    private static boolean isBlank(int letter) {
        return isBreak(letter) || letter == ' ' || letter == '\t';
    }

    /** Follows the parser through a text. */
    private static final class Walk {
        private final int[] letters;
        private final Iterator<Event> events;
        private final List<Span> scalars = new ArrayList<>();

        Walk(String text) {
            letters = text.codePoints().toArray();
            events = new Parse(LoadSettings.builder().build()).parseString(text).iterator();
        }

        YamlOutline outline() {
            Optional<Group> root = Optional.empty();
            var end = OptionalInt.empty();
            while (events.hasNext()) {
                var event = events.next();
                if (event instanceof MappingStartEvent start) {
                    root = Optional.of(group("", start));
                } else if (event instanceof DocumentEndEvent last && last.isExplicit()) {
                    end = OptionalInt.of(index(last, Event::getStartMark));
                }
            }
            scalars.sort(Comparator.comparingInt(Span::from));
            return new YamlOutline(letters, root, scalars, end);
        }

        private Group group(String prefix, MappingStartEvent start) {
            var entries = new ArrayList<Entry>();
            for (var event = events.next(); ; event = events.next()) {
                if (event instanceof CollectionEndEvent) {
                    return new Group(span(start, event), start.isFlow(), entries);
                }
                var key = (ScalarEvent) event;
                var name = prefix + key.getValue();
                var keySpan = scalar(key);
                entries.add(new Entry(name, keySpan, part(name), start.isFlow()));
            }
        }

        private Part part(String name) {
            var event = events.next();
            return switch (event) {
                case MappingStartEvent start -> group(name + ".", start);
                case CollectionStartEvent start -> listing(start);
                default -> single((ScalarEvent) event);
            };
        }

        private Single single(ScalarEvent event) {
            var style = event.getScalarStyle();
            boolean isBlock = style == ScalarStyle.LITERAL || style == ScalarStyle.FOLDED;
            return new Single(
                    scalar(event), isBlock, YamlFile.scalar(event) instanceof Written.Nothing);
        }

        private Listing listing(CollectionStartEvent start) {
            var items = new ArrayList<Span>();
            for (var event = events.next(); ; event = events.next()) {
                if (event instanceof CollectionEndEvent) {
                    return new Listing(span(start, event), start.isFlow(), items);
                }
                items.add(item(event));
            }
        }

        /**
         * A group in a list is changed as little as it is read: it has a place, and that is all.
         */
        private Span item(Event event) {
            if (!(event instanceof MappingStartEvent start)) {
                return scalar((ScalarEvent) event);
            }
            var group = group("", start);
            int from = index(start, Event::getStartMark);
            return new Span(from, group.entries().isEmpty() ? group.span().to() : group.end());
        }

        private Span scalar(ScalarEvent event) {
            var span = span(event, event);
            scalars.add(span);
            return span;
        }

        private static Span span(Event first, Event last) {
            return new Span(index(first, Event::getStartMark), index(last, Event::getEndMark));
        }

        private static int index(Event event, Function<Event, Optional<Mark>> side) {
            return side.apply(event).orElseThrow().getIndex();
        }
    }
}
