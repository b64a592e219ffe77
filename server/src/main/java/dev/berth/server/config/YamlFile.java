package dev.berth.server.config;

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
 * Reads groups of keys from YAML, within bounds. It follows the parser's events and builds nothing
 * but a flat list, so what is small in the file cannot become large in memory.
 */
final class YamlFile {

    private static final int LARGEST_BYTES = 1 << 20;
    private static final int DEEPEST = 16;

    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setCodePointLimit(LARGEST_BYTES).build();

    private final String name;
    private final List<Line> lines = new ArrayList<>();
    private final Deque<String> groups = new ArrayDeque<>();
    private final Set<String> seen = new HashSet<>();

    /**
     * A key with its value.
     *
     * @param number counted from 1
     */
    record Line(int number, String key, Written value) {}

    private YamlFile(String name) {
        this.name = name;
    }

    /**
     * @param shown the file's name in messages
     */
    static String text(Path file, String shown) throws ConfigRefused {
        try {
            if (Files.size(file) > LARGEST_BYTES) {
                throw new ConfigRefused(shown + ": larger than " + LARGEST_BYTES + " bytes");
            }
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException _) {
            throw new ConfigRefused(shown + ": not valid UTF-8");
        } catch (IOException e) {
            throw new ConfigRefused(shown + ": cannot be read: " + e);
        }
    }

    static List<Line> parse(String text, String shown) throws ConfigRefused {
        var file = new YamlFile(shown);
        try {
            file.read(new Parse(SETTINGS).parseString(withoutMark(text)).iterator());
        } catch (MarkedYamlEngineException e) {
            var where = e.getProblemMark().map(mark -> ":" + (mark.getLine() + 1)).orElse("");
            throw new ConfigRefused(shown + where + ": this is not valid YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            throw new ConfigRefused(shown + ": this is not valid YAML: " + e.getMessage());
        }
        return file.lines;
    }

    /** Editors on some systems begin a file with it. */
    private static String withoutMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private void read(Iterator<Event> events) throws ConfigRefused {
        int documents = 0;
        while (events.hasNext()) {
            var event = events.next();
            if (event instanceof DocumentStartEvent && ++documents > 1) {
                throw wrong(event, "one document is enough: remove the line ---");
            }
            if (event instanceof MappingStartEvent) {
                group(events);
            } else if (event instanceof SequenceStartEvent
                    || (event instanceof ScalarEvent scalar && !scalar.getValue().isEmpty())) {
                throw wrong(event, "keys with values are expected here, like  port: 29214");
            }
        }
    }

    private void group(Iterator<Event> events) throws ConfigRefused {
        for (var event = events.next(); ; event = events.next()) {
            if (event instanceof CollectionEndEvent) {
                return;
            }
            if (!(event instanceof ScalarEvent key)) {
                throw wrong(event, "a key is a word");
            }
            entry(key, events);
        }
    }

    private void entry(ScalarEvent key, Iterator<Event> events) throws ConfigRefused {
        var full = groups.isEmpty() ? key.getValue() : groups.getLast() + "." + key.getValue();
        if (!seen.add(full)) {
            throw wrong(key, full + " is set twice");
        }
        var event = events.next();
        switch (event) {
            case MappingStartEvent _ -> {
                if (groups.size() >= DEEPEST) {
                    throw wrong(event, "groups within groups end at " + DEEPEST);
                }
                note(key, full, new Written.Mapping());
                groups.addLast(full);
                group(events);
                groups.removeLast();
            }
            case SequenceStartEvent _ -> {
                int before = lines.size();
                var value = items(full, events);
                lines.add(before, new Line(number(key), full, value));
            }
            case ScalarEvent scalar -> note(key, full, scalar(scalar));
            case AliasEvent _ -> throw wrong(event, "anchors and aliases are not understood here");
            default -> throw wrong(event, full + " has no value");
        }
    }

    private Written items(String full, Iterator<Event> events) throws ConfigRefused {
        var items = new ArrayList<Written.Scalar>();
        int rows = 0;
        for (var event = events.next(); ; event = events.next()) {
            if (event instanceof CollectionEndEvent) {
                return rows > 0 ? new Written.Rows(rows) : new Written.Items(items);
            }
            if (event instanceof ScalarEvent item && rows == 0) {
                items.add(new Written.Scalar(item.getValue(), item.isPlain()));
            } else if (event instanceof MappingStartEvent && items.isEmpty()) {
                row(full + "[" + rows++ + "]", event, events);
            } else {
                throw wrong(event, "a list holds words and numbers only, or groups only");
            }
        }
    }

    private void row(String full, Event start, Iterator<Event> events) throws ConfigRefused {
        if (groups.size() >= DEEPEST) {
            throw wrong(start, "groups within groups end at " + DEEPEST);
        }
        note(start, full, new Written.Mapping());
        groups.addLast(full);
        group(events);
        groups.removeLast();
    }

    static Written scalar(ScalarEvent scalar) {
        boolean isNothing =
                scalar.isPlain()
                        && Set.of("", "~", "null", "Null", "NULL").contains(scalar.getValue());
        return isNothing
                ? new Written.Nothing()
                : new Written.Scalar(scalar.getValue(), scalar.isPlain());
    }

    private void note(Event at, String key, Written value) {
        lines.add(new Line(number(at), key, value));
    }

    private ConfigRefused wrong(Event at, String what) {
        return new ConfigRefused(name + ":" + number(at) + ": " + what);
    }

    private static int number(Event at) {
        return at.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }
}
