package dev.berth.node.card;

import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Reads what {@code nvidia-smi} prints as CSV. What the driver does not know ({@code [N/A]}, {@code
 * [Unknown Error]}, …) is absent; what is neither a value nor such a word makes the whole answer
 * useless, because half of an answer would be taken for all of it.
 */
final class SmiText {

    /** The fields of {@code --query-gpu}, in this order. */
    static final String CARD_FIELDS =
            "index,uuid,name,memory.total,memory.used,memory.free,utilization.gpu,temperature.gpu,"
                    + "mig.mode.current";

    /**
     * The fields of {@code --query-compute-apps}; a program's name may hold commas, so it is last.
     */
    static final String PROCESS_FIELDS = "gpu_uuid,pid,used_memory,process_name";

    private static final int CARD_WIDTH = 9;
    private static final int PROCESS_WIDTH = 4;
    private static final int MOST_LINES = 10_000;
    private static final long MOST_MIB = 1L << 30;
    private static final int LONGEST_NAME = 200;

    private static final Pattern UUID = Pattern.compile("[A-Za-z0-9-]{1,80}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");
    private static final Pattern ABSENT = Pattern.compile("\\[[^]]{0,60}]");
    private static final Set<String> ABSENT_WORDS =
            Set.of(
                    "N/A",
                    "Unknown",
                    "Unknown Error",
                    "Not Supported",
                    "Not Available",
                    "GPU is lost",
                    "GPU requires reset",
                    "ERR!");

    /** Of these, those that say that the card itself did not answer. */
    private static final Pattern TROUBLE =
            Pattern.compile("\\[?(Unknown Error|GPU is lost|GPU requires reset|ERR!)]?");

    private static final int MEMORY_FROM = 3;
    private static final int MEMORY_TO = 6;
    private static final String NOBODY = "No running processes found";

    private SmiText() {}

    static List<CardRow> cards(String text) throws ProbeFailure {
        var rows = new ArrayList<CardRow>();
        for (var line : lines(text)) {
            var fields = fields(line, CARD_WIDTH);
            // A card that cannot even say who it is counts as missing.
            if (!TROUBLE.matcher(fields.get(1)).matches()) {
                rows.add(card(fields));
            }
        }
        return rows;
    }

    private static CardRow card(List<String> fields) throws ProbeFailure {
        var index = number(fields.get(0), MOST_LINES);
        if (index.isEmpty()) {
            throw garbled(fields.get(0));
        }
        return new CardRow(
                uuid(fields.get(1)),
                (int) index.getAsLong(),
                name(fields.get(2)),
                number(fields.get(3), MOST_MIB),
                new Reading(
                        number(fields.get(4), MOST_MIB),
                        number(fields.get(5), MOST_MIB),
                        small(fields.get(6), 100),
                        small(fields.get(7), 1000),
                        OptionalInt.empty(),
                        Optional.empty()),
                fields.get(8).equals("Enabled"),
                trouble(fields.subList(MEMORY_FROM, MEMORY_TO)));
    }

    private static Optional<String> trouble(List<String> memory) {
        return memory.stream().filter(word -> TROUBLE.matcher(word).matches()).findFirst();
    }

    /** The processes by card. */
    static Map<String, List<Occupant>> processes(String text) throws ProbeFailure {
        var found = new TreeMap<String, List<Occupant>>();
        for (var line : lines(text)) {
            if (line.strip().equals(NOBODY)) {
                continue;
            }
            var fields = fields(line, PROCESS_WIDTH);
            var pid = number(fields.get(1), Integer.MAX_VALUE);
            if (pid.isEmpty()) {
                throw garbled(fields.get(1));
            }
            found.computeIfAbsent(uuid(fields.get(0)), _ -> new ArrayList<>())
                    .add(
                            new Occupant(
                                    pid.getAsLong(),
                                    memory(fields.get(2)),
                                    Occupant.Kind.COMPUTE,
                                    isAbsent(fields.get(3)) ? "" : program(fields.get(3)),
                                    new Whose.Unknown(),
                                    Optional.empty()));
        }
        return found;
    }

    private static List<String> lines(String text) throws ProbeFailure {
        var lines = text.lines().filter(line -> !line.isBlank()).limit(MOST_LINES + 1L).toList();
        if (lines.size() > MOST_LINES) {
            throw new ProbeFailure("nvidia-smi printed more than " + MOST_LINES + " lines");
        }
        return lines;
    }

    private static List<String> fields(String line, int width) throws ProbeFailure {
        var fields = new ArrayList<String>(width);
        for (var field : line.split(",", width)) {
            fields.add(field.strip());
        }
        if (fields.size() != width) {
            throw garbled(line);
        }
        return fields;
    }

    private static String uuid(String text) throws ProbeFailure {
        if (!UUID.matcher(text).matches()) {
            throw garbled(text);
        }
        return text;
    }

    private static String name(String text) throws ProbeFailure {
        if (text.isEmpty() || text.length() > LONGEST_NAME || hasControls(text)) {
            throw garbled(text);
        }
        return text;
    }

    /** What makes no sense is not known; that the process is there is known all the same. */
    private static OptionalLong memory(String text) {
        try {
            return number(text, MOST_MIB);
        } catch (ProbeFailure _) {
            return OptionalLong.empty();
        }
    }

    /** Anybody may call a program anything, and must not make the whole list useless by it. */
    private static String program(String text) {
        var end =
                text.length() > LONGEST_NAME ? text.substring(text.length() - LONGEST_NAME) : text;
        return end.replaceAll("\\p{Cntrl}", "?");
    }

    private static boolean hasControls(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    private static OptionalLong number(String text, long most) throws ProbeFailure {
        if (isAbsent(text)) {
            return OptionalLong.empty();
        }
        if (!NUMBER.matcher(text).matches() || Long.parseLong(text) > most) {
            throw garbled(text);
        }
        return OptionalLong.of(Long.parseLong(text));
    }

    private static OptionalInt small(String text, int most) throws ProbeFailure {
        var number = number(text, most);
        return number.isPresent() ? OptionalInt.of((int) number.getAsLong()) : OptionalInt.empty();
    }

    private static boolean isAbsent(String text) {
        return ABSENT.matcher(text).matches() || ABSENT_WORDS.contains(text);
    }

    private static ProbeFailure garbled(String text) {
        return new ProbeFailure("nvidia-smi printed something else than cards: " + shown(text));
    }

    /** Short and harmless, for a log line and a page. */
    static String shown(String text) {
        var clean = new StringBuilder("\"");
        text.codePoints()
                .limit(60)
                .map(point -> Character.isISOControl(point) ? '?' : point)
                .forEach(clean::appendCodePoint);
        return clean.append(text.codePointCount(0, text.length()) > 60 ? "…\"" : "\"").toString();
    }
}
