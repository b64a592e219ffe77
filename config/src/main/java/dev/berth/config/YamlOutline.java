package dev.berth.config;

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
 * The positions of keys and values in a text. The text must have been accepted by {@link
 * YamlReader}; its checks are not repeated.
 *
 * @param codePoints the code points of the text, which are the parser's unit of position
 * @param root empty if there is no key
 * @param scalars all scalars, in text order
 * @param end position of an explicit document end
 */
record YamlOutline(
        int[] codePoints, Optional<MappingNode> root, List<TextSpan> scalars, OptionalInt end) {

    /**
     * @param to exclusive
     */
    record TextSpan(int from, int to) {}

    /** The value of a key. */
    sealed interface YamlNode {
        /** Exclusive. */
        int end();
    }

    /**
     * @param isBlock a multi-line value after {@code |} or {@code >}
     * @param isNull {@code null} or an empty value
     */
    record ScalarNode(TextSpan span, boolean isBlock, boolean isNull) implements YamlNode {
        @Override
        public int end() {
            return span.to();
        }
    }

    /**
     * @param isFlow in brackets
     */
    record ListNode(TextSpan span, boolean isFlow, List<TextSpan> items) implements YamlNode {
        @Override
        public int end() {
            return isFlow ? span.to() : items.getLast().to();
        }
    }

    /**
     * @param isFlow in braces
     */
    record MappingNode(TextSpan span, boolean isFlow, List<KeyEntry> entries) implements YamlNode {
        @Override
        public int end() {
            return isFlow ? span.to() : entries.getLast().value().end();
        }
    }

    /**
     * @param name full name with groups
     */
    record KeyEntry(String name, TextSpan key, YamlNode value, boolean isInBraces) {}

    static YamlOutline of(String text) {
        return new Walk(text).outline();
    }

    /** Finds a key in any group. */
    Optional<KeyEntry> find(String name) {
        return root.flatMap(group -> find(group, name));
    }

    private static Optional<KeyEntry> find(MappingNode group, String name) {
        for (var entry : group.entries()) {
            if (entry.name().equals(name)) {
                return Optional.of(entry);
            }
            if (entry.value() instanceof MappingNode inner) {
                var found = find(inner, name);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    /** Every comment, from its {@code #} to the end of its line. */
    List<TextSpan> comments() {
        var comments = new ArrayList<TextSpan>();
        var inner = scalars.iterator();
        var next = inner.hasNext() ? inner.next() : null;
        for (int at = 0; at < codePoints.length; at++) {
            while (next != null && next.to() <= at) {
                next = inner.hasNext() ? inner.next() : null;
            }
            if (next != null && next.from() <= at) {
                at = next.to() - 1;
            } else if (codePoints[at] == '#' && (at == 0 || isBlank(codePoints[at - 1]))) {
                int end = lineEnd(at);
                comments.add(new TextSpan(at, end));
                at = end;
            }
        }
        return comments;
    }

    String text(int from, int to) {
        return new String(codePoints, from, to - from);
    }

    int lineStart(int at) {
        int start = at;
        while (start > 0 && !isBreak(codePoints[start - 1])) {
            start--;
        }
        return start;
    }

    /** Before the line break, or at the end of the text. */
    int lineEnd(int at) {
        int end = at;
        while (end < codePoints.length && !isBreak(codePoints[end])) {
            end++;
        }
        return end;
    }

    /** After the line break, or at the end of the text. */
    int nextLine(int at) {
        int end = lineEnd(at);
        boolean isPair =
                end + 1 < codePoints.length
                        && codePoints[end] == '\r'
                        && codePoints[end + 1] == '\n';
        return Math.min(codePoints.length, end + (isPair ? 2 : 1));
    }

    /** The text before this position in its line. */
    String before(int at) {
        return text(lineStart(at), at);
    }

    private static boolean isBreak(int codePoint) {
        return codePoint == '\n' || codePoint == '\r';
    }

    private static boolean isBlank(int codePoint) {
        return isBreak(codePoint) || codePoint == ' ' || codePoint == '\t';
    }

    /** Builds the outline from parser events. */
    private static final class Walk {
        private final int[] letters;
        private final Iterator<Event> events;
        private final List<TextSpan> scalars = new ArrayList<>();

        Walk(String text) {
            letters = text.codePoints().toArray();
            events = new Parse(LoadSettings.builder().build()).parseString(text).iterator();
        }

        YamlOutline outline() {
            Optional<MappingNode> root = Optional.empty();
            var end = OptionalInt.empty();
            while (events.hasNext()) {
                var event = events.next();
                if (event instanceof MappingStartEvent start) {
                    root = Optional.of(readMapping("", start));
                } else if (event instanceof DocumentEndEvent last && last.isExplicit()) {
                    end = OptionalInt.of(index(last, Event::getStartMark));
                }
            }
            scalars.sort(Comparator.comparingInt(TextSpan::from));
            return new YamlOutline(letters, root, scalars, end);
        }

        private MappingNode readMapping(String prefix, MappingStartEvent start) {
            var entries = new ArrayList<KeyEntry>();
            for (var event = events.next(); ; event = events.next()) {
                if (event instanceof CollectionEndEvent) {
                    return new MappingNode(spanOf(start, event), start.isFlow(), entries);
                }
                var key = (ScalarEvent) event;
                var name = prefix + key.getValue();
                var keySpan = addScalar(key);
                entries.add(new KeyEntry(name, keySpan, readValue(name), start.isFlow()));
            }
        }

        private YamlNode readValue(String name) {
            var event = events.next();
            return switch (event) {
                case MappingStartEvent start -> readMapping(name + ".", start);
                case CollectionStartEvent start -> readList(start);
                default -> readScalar((ScalarEvent) event);
            };
        }

        private ScalarNode readScalar(ScalarEvent event) {
            var style = event.getScalarStyle();
            boolean isBlock = style == ScalarStyle.LITERAL || style == ScalarStyle.FOLDED;
            return new ScalarNode(
                    addScalar(event),
                    isBlock,
                    YamlReader.scalar(event) instanceof RawValue.NullValue);
        }

        private ListNode readList(CollectionStartEvent start) {
            var items = new ArrayList<TextSpan>();
            for (var event = events.next(); ; event = events.next()) {
                if (event instanceof CollectionEndEvent) {
                    return new ListNode(spanOf(start, event), start.isFlow(), items);
                }
                items.add(readItem(event));
            }
        }

        /** The keys of a mapping in a list cannot be edited, so only its span is recorded. */
        private TextSpan readItem(Event event) {
            if (!(event instanceof MappingStartEvent start)) {
                return addScalar((ScalarEvent) event);
            }
            var group = readMapping("", start);
            int from = index(start, Event::getStartMark);
            return new TextSpan(from, group.entries().isEmpty() ? group.span().to() : group.end());
        }

        private TextSpan addScalar(ScalarEvent event) {
            var span = spanOf(event, event);
            scalars.add(span);
            return span;
        }

        private static TextSpan spanOf(Event first, Event last) {
            return new TextSpan(index(first, Event::getStartMark), index(last, Event::getEndMark));
        }

        private static int index(Event event, Function<Event, Optional<Mark>> side) {
            return side.apply(event).orElseThrow().getIndex();
        }
    }
}
