package dev.berth.config;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Parses YAML into a flat list of keys, within limits. It reads parser events and does not build a
 * tree, so a small file cannot expand in memory.
 */
final class YamlReader {

    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_DEPTH = 16;

    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setCodePointLimit(MAX_BYTES).build();

    private final String name;
    private final List<YamlLine> lines = new ArrayList<>();
    private final Deque<String> groups = new ArrayDeque<>();
    private final Set<String> seen = new HashSet<>();

    /**
     * A key with its value.
     *
     * @param number line number, starting at 1
     */
    record YamlLine(int number, String key, RawValue value) {}

    private YamlReader(String name) {
        this.name = name;
    }

    /**
     * @param shown the file's name in messages
     */
    static String readText(Path file, String shown) throws InvalidConfigException {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new InvalidConfigException(shown + ": larger than " + MAX_BYTES + " bytes");
            }
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException _) {
            throw new InvalidConfigException(shown + ": not valid UTF-8");
        } catch (IOException e) {
            throw new InvalidConfigException(shown + ": cannot be read: " + e.getMessage());
        }
    }

    static List<YamlLine> parse(String text, String shown) throws InvalidConfigException {
        var file = new YamlReader(shown);
        try {
            file.read(new Parse(SETTINGS).parseString(withoutByteOrderMark(text)).iterator());
        } catch (MarkedYamlEngineException e) {
            var where = e.getProblemMark().map(mark -> ":" + (mark.getLine() + 1)).orElse("");
            throw new InvalidConfigException(
                    shown + where + ": this is not valid YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            throw new InvalidConfigException(shown + ": this is not valid YAML: " + e.getMessage());
        }
        return file.lines;
    }

    /** Removes the byte order mark that editors on some systems write. */
    private static String withoutByteOrderMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private void read(Iterator<Event> events) throws InvalidConfigException {
        int documents = 0;
        while (events.hasNext()) {
            var event = events.next();
            if (event instanceof DocumentStartEvent && ++documents > 1) {
                throw failure(event, "one document is enough: remove the line ---");
            }
            if (event instanceof MappingStartEvent) {
                readGroup(events);
            } else if (event instanceof SequenceStartEvent
                    || (event instanceof ScalarEvent scalar && !scalar.getValue().isEmpty())) {
                throw failure(event, "keys with values are expected here, like  port: 29214");
            }
        }
    }

    private void readGroup(Iterator<Event> events) throws InvalidConfigException {
        for (var event = events.next(); ; event = events.next()) {
            if (event instanceof CollectionEndEvent) {
                return;
            }
            if (!(event instanceof ScalarEvent key)) {
                throw failure(event, "a key is a word");
            }
            readEntry(key, events);
        }
    }

    private void readEntry(ScalarEvent key, Iterator<Event> events) throws InvalidConfigException {
        var full = groups.isEmpty() ? key.getValue() : groups.getLast() + "." + key.getValue();
        if (!seen.add(full)) {
            throw failure(key, full + " is set twice");
        }
        var event = events.next();
        switch (event) {
            case MappingStartEvent _ -> {
                if (groups.size() >= MAX_DEPTH) {
                    throw failure(event, "groups within groups end at " + MAX_DEPTH);
                }
                addLine(key, full, new RawValue.Mapping());
                groups.addLast(full);
                readGroup(events);
                groups.removeLast();
            }
            case SequenceStartEvent _ -> {
                int before = lines.size();
                var value = readList(full, events);
                lines.add(before, new YamlLine(lineOf(key), full, value));
            }
            case ScalarEvent scalar -> addLine(key, full, scalar(scalar));
            case AliasEvent _ ->
                    throw failure(event, "anchors and aliases are not understood here");
            default -> throw failure(event, full + " has no value");
        }
    }

    private RawValue readList(String full, Iterator<Event> events) throws InvalidConfigException {
        var items = new ArrayList<RawValue.Scalar>();
        int rows = 0;
        for (var event = events.next(); ; event = events.next()) {
            if (event instanceof CollectionEndEvent) {
                return rows > 0 ? new RawValue.MappingList(rows) : new RawValue.ScalarList(items);
            }
            if (event instanceof ScalarEvent item && rows == 0) {
                items.add(new RawValue.Scalar(item.getValue(), item.isPlain()));
            } else if (event instanceof MappingStartEvent && items.isEmpty()) {
                readRow(full + "[" + rows++ + "]", event, events);
            } else {
                throw failure(event, "a list holds words and numbers only, or groups only");
            }
        }
    }

    private void readRow(String full, Event start, Iterator<Event> events)
            throws InvalidConfigException {
        if (groups.size() >= MAX_DEPTH) {
            throw failure(start, "groups within groups end at " + MAX_DEPTH);
        }
        addLine(start, full, new RawValue.Mapping());
        groups.addLast(full);
        readGroup(events);
        groups.removeLast();
    }

    static RawValue scalar(ScalarEvent scalar) {
        boolean isNothing =
                scalar.isPlain()
                        && Set.of("", "~", "null", "Null", "NULL").contains(scalar.getValue());
        return isNothing
                ? new RawValue.NullValue()
                : new RawValue.Scalar(scalar.getValue(), scalar.isPlain());
    }

    private void addLine(Event at, String key, RawValue value) {
        lines.add(new YamlLine(lineOf(at), key, value));
    }

    private InvalidConfigException failure(Event at, String what) {
        return new InvalidConfigException(name + ":" + lineOf(at) + ": " + what);
    }

    private static int lineOf(Event at) {
        return at.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }
}
