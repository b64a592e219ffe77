package dev.berth.server.config;

import dev.berth.server.config.YamlOutline.Entry;
import dev.berth.server.config.YamlOutline.Group;
import dev.berth.server.config.YamlOutline.Listing;
import dev.berth.server.config.YamlOutline.Single;
import dev.berth.server.config.YamlOutline.Span;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Changes one key in the text of a file and leaves every other letter where it was: comments,
 * order, blank lines, the way things are quoted, line ends. Where that cannot be done it refuses;
 * what comes out has been read again and compared.
 */
final class YamlEdit {

    private static final String AS_LINES =
            "write it in the file as lines, each with one key and its value, and it can be changed"
                    + " from here";

    private static final String MARK = "\uFEFF";
    private static final String STEP = "  ";

    private final String file;
    private final YamlOutline outline;
    private final List<Span> comments;
    private final String newline;
    private final List<Replacement> replacements = new ArrayList<>();

    private record Replacement(Span span, String text) {}

    private YamlEdit(String file, String text) {
        this.file = file;
        this.outline = YamlOutline.of(text);
        this.comments = outline.comments();
        this.newline = text.contains("\r\n") ? "\r\n" : "\n";
    }

    /**
     * The text with a key set, which is added where it is not there.
     *
     * @param file its name in messages
     * @param name with the names of its groups
     */
    static String set(String file, String text, String name, Written value) throws ConfigRefused {
        var bare = withoutMark(text);
        var before = YamlFile.parse(bare, file);
        var edit = new YamlEdit(file, bare);
        var there = edit.outline.find(name);
        if (there.isPresent()) {
            edit.replace(there.get(), value);
        } else {
            edit.add(name, value);
        }
        var after = edit.applied();
        new YamlComparison(file, before, YamlFile.parse(after, file)).onlySet(name, value);
        edit.requireComments(after);
        return text.substring(0, text.length() - bare.length()) + after;
    }

    /** The text without a key; a comment beside it becomes a line of its own. */
    static String remove(String file, String text, String name) throws ConfigRefused {
        var bare = withoutMark(text);
        var before = YamlFile.parse(bare, file);
        var edit = new YamlEdit(file, bare);
        var there = edit.outline.find(name);
        if (there.isEmpty()) {
            return text;
        }
        edit.remove(there.get());
        var after = edit.applied();
        new YamlComparison(file, before, YamlFile.parse(after, file)).onlyRemoved(name);
        edit.requireComments(after);
        return text.substring(0, text.length() - bare.length()) + after;
    }

    private static String withoutMark(String text) {
        return text.startsWith(MARK) ? text.substring(1) : text;
    }

    private void replace(Entry entry, Written value) throws ConfigRefused {
        requireLines(entry);
        switch (entry.value()) {
            case Single single when single.isBlock() ->
                    throw refused(entry, "is written over several lines");
            case Single single -> {
                boolean isEmpty = single.span().from() == single.span().to();
                put(single.span(), (isEmpty ? " " : "") + YamlText.of(value));
            }
            case Listing list when list.isFlow() -> put(list.span(), YamlText.of(value));
            case Listing list when value instanceof Written.Items(var items) ->
                    items(entry, list, items);
            case Listing _ -> throw refused(entry, "is a list");
            case Group _ -> throw refused(entry, "is a group of keys");
        }
    }

    /** Item by item, so that what is written beside them stays. */
    private void items(Entry entry, Listing list, List<Written.Scalar> items) throws ConfigRefused {
        var there = list.items();
        int both = Math.min(there.size(), items.size());
        for (int i = 0; i < both; i++) {
            if (!outline.text(there.get(i).from(), there.get(i).to())
                    .equals(YamlText.of(items.get(i)))) {
                put(there.get(i), YamlText.of(items.get(i)));
            }
        }
        if (items.isEmpty()) {
            int colon = outline.text(entry.key().to(), list.span().from()).indexOf(':');
            int at = entry.key().to() + colon + 1;
            put(new Span(at, at), " []");
        }
        var last = there.getLast();
        var dash = outline.before(last.from());
        removeLines(there.subList(both, there.size()), dash.replaceAll("-.*", ""));
        if (items.size() > both && !dash.matches("[ ]*-[ ]+")) {
            throw refused(entry, "is written in an unusual way");
        }
        var more = items.subList(both, items.size()).stream();
        insertLines(last.to(), more.map(item -> dash + YamlText.of(item)).toList());
    }

    private void add(String name, Written value) throws ConfigRefused {
        int dot = name.lastIndexOf('.');
        while (dot > 0) {
            var group = outline.find(name.substring(0, dot));
            if (group.isPresent()) {
                addTo(group.get(), nested(name.substring(dot + 1), value));
                return;
            }
            dot = name.lastIndexOf('.', dot - 1);
        }
        var lines = nested(name, value);
        if (outline.root().isPresent() && outline.root().get().isFlow()) {
            throw new ConfigRefused(
                    file
                            + ": all of it is written in braces; "
                            + AS_LINES
                            + ", or change "
                            + name
                            + " there yourself");
        }
        var indent = outline.root().isPresent() ? indent(outline.root().get()) : "";
        var indented = lines.stream().map(line -> indent + line).toList();
        if (outline.end().isPresent()) {
            int at = outline.end().getAsInt();
            put(new Span(at, at), String.join(newline, indented) + newline);
        } else {
            insertLines(outline.letters().length, indented);
        }
    }

    private void addTo(Entry group, List<String> lines) throws ConfigRefused {
        requireLines(group);
        switch (group.value()) {
            case Group inner when inner.isFlow() -> throw inBraces(group);
            case Group inner -> {
                var indent = indent(inner);
                insertLines(inner.end() - 1, lines.stream().map(line -> indent + line).toList());
            }
            case Single single when single.isNothing() -> {
                put(single.span(), "");
                var indent = indent(group) + STEP;
                insertLines(
                        single.span().from(), lines.stream().map(line -> indent + line).toList());
            }
            case Single _, Listing _ -> throw refused(group, "is no group of keys");
        }
    }

    private static List<String> nested(String name, Written value) {
        var lines = new ArrayList<String>();
        var indent = "";
        var parts = name.split("\\.");
        for (int i = 0; i < parts.length - 1; i++) {
            lines.add(indent + parts[i] + ":");
            indent += STEP;
        }
        lines.add(indent + parts[parts.length - 1] + ": " + YamlText.of(value));
        return lines;
    }

    private void remove(Entry entry) throws ConfigRefused {
        requireLines(entry);
        var indent = indent(entry);
        var spans = new ArrayList<Span>();
        spans.add(entry.key());
        switch (entry.value()) {
            case Single single -> spans.add(single.span());
            case Listing list when list.isFlow() -> spans.add(list.span());
            case Listing list -> spans.addAll(list.items());
            case Group _ -> throw refused(entry, "is a group of keys");
        }
        removeLines(spans, indent);
    }

    /**
     * Takes away the lines in which these stand, but for comments in them.
     *
     * @param indent of those comments: further in they might become part of a text above
     */
    private void removeLines(List<Span> spans, String indent) {
        var starts = new TreeSet<Integer>();
        for (var span : spans) {
            int last = Math.max(span.from(), span.to() - 1);
            int at = outline.lineStart(span.from());
            while (at <= last && at < outline.nextLine(at)) {
                starts.add(at);
                at = outline.nextLine(at);
            }
        }
        for (int start : starts) {
            int end = outline.lineEnd(start);
            var comment =
                    comments.stream()
                            .filter(one -> one.from() >= start && one.to() <= end)
                            .findFirst();
            if (comment.isPresent()) {
                put(new Span(start, comment.get().from()), indent);
            } else {
                put(new Span(start, outline.nextLine(start)), "");
            }
        }
    }

    /** After the line in which this letter stands. A text without a last line break stays so. */
    private void insertLines(int at, List<String> lines) {
        if (lines.isEmpty()) {
            return;
        }
        int next = outline.nextLine(at);
        var text = String.join(newline, lines);
        boolean isOpen = next > 0 && next == outline.lineEnd(next) && isInLine(next);
        put(new Span(next, next), isOpen ? newline + text : text + newline);
    }

    /** Whether letters stand before it in its line. */
    private boolean isInLine(int at) {
        return outline.lineStart(at) < at;
    }

    private String indent(Group group) throws ConfigRefused {
        return indent(group.entries().getFirst());
    }

    private String indent(Entry entry) throws ConfigRefused {
        var indent = outline.before(entry.key().from());
        if (!indent.isBlank()) {
            throw refused(entry, "is written in an unusual way");
        }
        return indent;
    }

    private void requireLines(Entry entry) throws ConfigRefused {
        if (entry.isInBraces()) {
            throw inBraces(entry);
        }
    }

    private ConfigRefused inBraces(Entry entry) {
        return told(entry, "is written in braces; " + AS_LINES + ", or change it there yourself");
    }

    private ConfigRefused refused(Entry entry, String why) {
        return told(entry, why + "; change it in the file");
    }

    private ConfigRefused told(Entry entry, String what) {
        long line =
                1
                        + outline.text(0, entry.key().from())
                                .replace("\r\n", "\n")
                                .chars()
                                .filter(letter -> letter == '\n' || letter == '\r')
                                .count();
        return new ConfigRefused(file + ":" + line + ": " + entry.name() + " " + what);
    }

    private void put(Span span, String text) {
        replacements.add(new Replacement(span, text));
    }

    private String applied() {
        var ordered = new ArrayList<>(replacements);
        ordered.sort(Comparator.comparingInt(one -> one.span().from()));
        var text = new StringBuilder();
        int done = 0;
        for (var one : ordered) {
            text.append(outline.text(done, one.span().from())).append(one.text());
            done = one.span().to();
        }
        return text.append(outline.text(done, outline.letters().length)).toString();
    }

    /** A comment that stood within a value must not go unseen. */
    private void requireComments(String after) throws ConfigRefused {
        var other = YamlOutline.of(after);
        var now = other.comments().stream().map(one -> other.text(one.from(), one.to())).toList();
        var then = comments.stream().map(one -> outline.text(one.from(), one.to())).toList();
        if (!now.equals(then)) {
            throw new ConfigRefused(
                    file + ": a comment would be lost; change the value in the file");
        }
    }
}
