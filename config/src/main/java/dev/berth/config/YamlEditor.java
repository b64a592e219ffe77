package dev.berth.config;

import dev.berth.config.YamlOutline.KeyEntry;
import dev.berth.config.YamlOutline.ListNode;
import dev.berth.config.YamlOutline.MappingNode;
import dev.berth.config.YamlOutline.ScalarNode;
import dev.berth.config.YamlOutline.TextSpan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Changes one key in the text of a file and keeps all other characters: comments, order, blank
 * lines, quoting, line ends. It fails if that is not possible; the result is parsed again and
 * compared.
 */
final class YamlEditor {

    private static final String USE_BLOCK_STYLE =
            "write it in the file as lines, each with one key and its value, and it can be changed"
                    + " from here";

    private static final String BYTE_ORDER_MARK = "\uFEFF";
    private static final String INDENT_STEP = "  ";

    private final String file;
    private final YamlOutline outline;
    private final List<TextSpan> comments;
    private final String newline;
    private final List<Replacement> replacements = new ArrayList<>();

    private record Replacement(TextSpan span, String text) {}

    private YamlEditor(String file, String text) {
        this.file = file;
        this.outline = YamlOutline.of(text);
        this.comments = outline.comments();
        this.newline = text.contains("\r\n") ? "\r\n" : "\n";
    }

    /**
     * Sets a key, which is added if it is missing.
     *
     * @param file its name in messages
     * @param name full name with groups
     */
    static String set(String file, String text, String name, RawValue value)
            throws InvalidConfigException {
        var bare = withoutByteOrderMark(text);
        var before = YamlReader.parse(bare, file);
        var edit = new YamlEditor(file, bare);
        var existing = edit.outline.find(name);
        if (existing.isPresent()) {
            edit.replace(existing.get(), value);
        } else {
            edit.add(name, value);
        }
        var after = edit.result();
        new YamlEditCheck(file, before, YamlReader.parse(after, file)).requireOnlySet(name, value);
        edit.requireSameComments(after);
        return text.substring(0, text.length() - bare.length()) + after;
    }

    /** Removes a key; a comment in its line becomes a line of its own. */
    static String remove(String file, String text, String name) throws InvalidConfigException {
        var bare = withoutByteOrderMark(text);
        var before = YamlReader.parse(bare, file);
        var edit = new YamlEditor(file, bare);
        var existing = edit.outline.find(name);
        if (existing.isEmpty()) {
            return text;
        }
        edit.remove(existing.get());
        var after = edit.result();
        new YamlEditCheck(file, before, YamlReader.parse(after, file)).requireOnlyRemoved(name);
        edit.requireSameComments(after);
        return text.substring(0, text.length() - bare.length()) + after;
    }

    private static String withoutByteOrderMark(String text) {
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    }

    private void replace(KeyEntry entry, RawValue value) throws InvalidConfigException {
        requireBlockStyle(entry);
        switch (entry.value()) {
            case ScalarNode single when single.isBlock() ->
                    throw notEditable(entry, "is written over several lines");
            case ScalarNode single -> {
                boolean isEmpty = single.span().from() == single.span().to();
                replaceSpan(single.span(), (isEmpty ? " " : "") + YamlFormat.of(value));
            }
            case ListNode list when list.isFlow() -> replaceSpan(list.span(), YamlFormat.of(value));
            case ListNode list when value instanceof RawValue.ScalarList(var items) ->
                    replaceItems(entry, list, items);
            case ListNode _ -> throw notEditable(entry, "is a list");
            case MappingNode _ -> throw notEditable(entry, "is a group of keys");
        }
    }

    /** Changes single items, so that comments beside them stay. */
    private void replaceItems(KeyEntry entry, ListNode list, List<RawValue.Scalar> items)
            throws InvalidConfigException {
        var existing = list.items();
        int both = Math.min(existing.size(), items.size());
        for (int i = 0; i < both; i++) {
            if (!outline.text(existing.get(i).from(), existing.get(i).to())
                    .equals(YamlFormat.of(items.get(i)))) {
                replaceSpan(existing.get(i), YamlFormat.of(items.get(i)));
            }
        }
        if (items.isEmpty()) {
            int colon = outline.text(entry.key().to(), list.span().from()).indexOf(':');
            int at = entry.key().to() + colon + 1;
            replaceSpan(new TextSpan(at, at), " []");
        }
        var last = existing.getLast();
        var dash = outline.before(last.from());
        removeLines(existing.subList(both, existing.size()), dash.replaceAll("-.*", ""));
        if (items.size() > both && !dash.matches("[ ]*-[ ]+")) {
            throw notEditable(entry, "is written in an unusual way");
        }
        var more = items.subList(both, items.size()).stream();
        insertLines(last.to(), more.map(item -> dash + YamlFormat.of(item)).toList());
    }

    private void add(String name, RawValue value) throws InvalidConfigException {
        int dot = name.lastIndexOf('.');
        while (dot > 0) {
            var group = outline.find(name.substring(0, dot));
            if (group.isPresent()) {
                addTo(group.get(), nestedLines(name.substring(dot + 1), value));
                return;
            }
            dot = name.lastIndexOf('.', dot - 1);
        }
        var lines = nestedLines(name, value);
        if (outline.root().isPresent() && outline.root().get().isFlow()) {
            throw new InvalidConfigException(
                    file
                            + ": all of it is written in braces; "
                            + USE_BLOCK_STYLE
                            + ", or change "
                            + name
                            + " there yourself");
        }
        var indent = outline.root().isPresent() ? indent(outline.root().get()) : "";
        var indented = lines.stream().map(line -> indent + line).toList();
        if (outline.end().isPresent()) {
            int at = outline.end().getAsInt();
            replaceSpan(new TextSpan(at, at), String.join(newline, indented) + newline);
        } else {
            insertLines(outline.codePoints().length, indented);
        }
    }

    private void addTo(KeyEntry group, List<String> lines) throws InvalidConfigException {
        requireBlockStyle(group);
        switch (group.value()) {
            case MappingNode inner when inner.isFlow() -> throw flowStyle(group);
            case MappingNode inner -> {
                var indent = indent(inner);
                insertLines(inner.end() - 1, lines.stream().map(line -> indent + line).toList());
            }
            case ScalarNode single when single.isNull() -> {
                replaceSpan(single.span(), "");
                var indent = indent(group) + INDENT_STEP;
                insertLines(
                        single.span().from(), lines.stream().map(line -> indent + line).toList());
            }
            case ScalarNode _, ListNode _ -> throw notEditable(group, "is no group of keys");
        }
    }

    private static List<String> nestedLines(String name, RawValue value) {
        var lines = new ArrayList<String>();
        var indent = "";
        var parts = name.split("\\.");
        for (int i = 0; i < parts.length - 1; i++) {
            lines.add(indent + parts[i] + ":");
            indent += INDENT_STEP;
        }
        lines.add(indent + parts[parts.length - 1] + ": " + YamlFormat.of(value));
        return lines;
    }

    private void remove(KeyEntry entry) throws InvalidConfigException {
        requireBlockStyle(entry);
        var indent = indent(entry);
        var spans = new ArrayList<TextSpan>();
        spans.add(entry.key());
        switch (entry.value()) {
            case ScalarNode single -> spans.add(single.span());
            case ListNode list when list.isFlow() -> spans.add(list.span());
            case ListNode list -> spans.addAll(list.items());
            case MappingNode _ -> throw notEditable(entry, "is a group of keys");
        }
        removeLines(spans, indent);
    }

    /**
     * Removes the lines of these spans, but keeps comments in them.
     *
     * @param indent of the kept comments: with a deeper indent they could become part of a text
     *     above
     */
    private void removeLines(List<TextSpan> spans, String indent) {
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
                replaceSpan(new TextSpan(start, comment.get().from()), indent);
            } else {
                replaceSpan(new TextSpan(start, outline.nextLine(start)), "");
            }
        }
    }

    /**
     * Inserts after the line of this position. A text without a final line break stays without one.
     */
    private void insertLines(int at, List<String> lines) {
        if (lines.isEmpty()) {
            return;
        }
        int next = outline.nextLine(at);
        var text = String.join(newline, lines);
        boolean isOpen = next > 0 && next == outline.lineEnd(next) && isInLine(next);
        replaceSpan(new TextSpan(next, next), isOpen ? newline + text : text + newline);
    }

    /** True if characters precede this position in its line. */
    private boolean isInLine(int at) {
        return outline.lineStart(at) < at;
    }

    private String indent(MappingNode group) throws InvalidConfigException {
        return indent(group.entries().getFirst());
    }

    private String indent(KeyEntry entry) throws InvalidConfigException {
        var indent = outline.before(entry.key().from());
        if (!indent.isBlank()) {
            throw notEditable(entry, "is written in an unusual way");
        }
        return indent;
    }

    private void requireBlockStyle(KeyEntry entry) throws InvalidConfigException {
        if (entry.isInBraces()) {
            throw flowStyle(entry);
        }
    }

    private InvalidConfigException flowStyle(KeyEntry entry) {
        return failure(
                entry,
                "is written in braces; " + USE_BLOCK_STYLE + ", or change it there yourself");
    }

    private InvalidConfigException notEditable(KeyEntry entry, String why) {
        return failure(entry, why + "; change it in the file");
    }

    private InvalidConfigException failure(KeyEntry entry, String what) {
        long line =
                1
                        + outline.text(0, entry.key().from())
                                .replace("\r\n", "\n")
                                .chars()
                                .filter(letter -> letter == '\n' || letter == '\r')
                                .count();
        return new InvalidConfigException(file + ":" + line + ": " + entry.name() + " " + what);
    }

    private void replaceSpan(TextSpan span, String text) {
        replacements.add(new Replacement(span, text));
    }

    private String result() {
        var ordered = new ArrayList<>(replacements);
        ordered.sort(Comparator.comparingInt(replacement -> replacement.span().from()));
        var text = new StringBuilder();
        int done = 0;
        for (var replacement : ordered) {
            text.append(outline.text(done, replacement.span().from())).append(replacement.text());
            done = replacement.span().to();
        }
        return text.append(outline.text(done, outline.codePoints().length)).toString();
    }

    /** Fails if a comment inside a value would be lost. */
    private void requireSameComments(String after) throws InvalidConfigException {
        var other = YamlOutline.of(after);
        var now = other.comments().stream().map(one -> other.text(one.from(), one.to())).toList();
        var then = comments.stream().map(one -> outline.text(one.from(), one.to())).toList();
        if (!now.equals(then)) {
            throw new InvalidConfigException(
                    file + ": a comment would be lost; change the value in the file");
        }
    }
}
