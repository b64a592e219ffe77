package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.ProcessOwner;

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
 * Parses the CSV output of {@code nvidia-smi}. A value that the driver does not know ({@code
 * [N/A]}, {@code [Unknown Error]}, …) is absent. If a field is neither a value nor such a word, the
 * whole answer is rejected, because a partial answer would be taken for a complete one.
 */
final class SmiParser {

    /** The fields of {@code --query-gpu}, in this order. */
    static final String GPU_FIELDS =
            "index,uuid,name,memory.total,memory.used,memory.free,utilization.gpu,temperature.gpu,"
                    + "mig.mode.current";

    /**
     * The fields of {@code --query-compute-apps}. A program's name may contain commas, so it is
     * last.
     */
    static final String PROCESS_FIELDS = "gpu_uuid,pid,used_memory,process_name";

    private static final int GPU_FIELD_COUNT = 9;
    private static final int PROCESS_FIELD_COUNT = 4;
    private static final int MAX_LINES = 10_000;
    private static final long MAX_MIB = 1L << 30;
    private static final int MAX_NAME_CHARS = 200;

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

    /** Those of them that mean that the GPU itself did not respond. */
    private static final Pattern TROUBLE =
            Pattern.compile("\\[?(Unknown Error|GPU is lost|GPU requires reset|ERR!)]?");

    private static final int MEMORY_FROM = 3;
    private static final int MEMORY_TO = 6;
    private static final String NO_PROCESSES = "No running processes found";

    private SmiParser() {}

    static List<ProbedGpu> gpus(String text) throws ProbeFailure {
        var rows = new ArrayList<ProbedGpu>();
        for (var line : lines(text)) {
            var fields = fields(line, GPU_FIELD_COUNT);
            // A GPU without a readable UUID counts as missing.
            if (!TROUBLE.matcher(fields.get(1)).matches()) {
                rows.add(gpu(fields));
            }
        }
        return rows;
    }

    private static ProbedGpu gpu(List<String> fields) throws ProbeFailure {
        var index = number(fields.get(0), MAX_LINES);
        if (index.isEmpty()) {
            throw invalid(fields.get(0));
        }
        return new ProbedGpu(
                uuid(fields.get(1)),
                (int) index.getAsLong(),
                name(fields.get(2)),
                number(fields.get(3), MAX_MIB),
                new GpuReading(
                        number(fields.get(4), MAX_MIB),
                        number(fields.get(5), MAX_MIB),
                        small(fields.get(6), 100),
                        small(fields.get(7), 1000),
                        OptionalInt.empty(),
                        Optional.empty()),
                fields.get(8).equals("Enabled"),
                problem(fields.subList(MEMORY_FROM, MEMORY_TO)));
    }

    private static Optional<String> problem(List<String> memory) {
        return memory.stream().filter(word -> TROUBLE.matcher(word).matches()).findFirst();
    }

    /** The processes by GPU UUID. */
    static Map<String, List<GpuProcess>> processes(String text) throws ProbeFailure {
        var found = new TreeMap<String, List<GpuProcess>>();
        for (var line : lines(text)) {
            if (line.strip().equals(NO_PROCESSES)) {
                continue;
            }
            var fields = fields(line, PROCESS_FIELD_COUNT);
            var pid = number(fields.get(1), Integer.MAX_VALUE);
            if (pid.isEmpty()) {
                throw invalid(fields.get(1));
            }
            found.computeIfAbsent(uuid(fields.get(0)), _ -> new ArrayList<>())
                    .add(
                            new GpuProcess(
                                    pid.getAsLong(),
                                    memory(fields.get(2)),
                                    GpuProcess.Kind.COMPUTE,
                                    isAbsent(fields.get(3)) ? "" : program(fields.get(3)),
                                    new ProcessOwner.Unknown(),
                                    Optional.empty()));
        }
        return found;
    }

    private static List<String> lines(String text) throws ProbeFailure {
        var lines = text.lines().filter(line -> !line.isBlank()).limit(MAX_LINES + 1L).toList();
        if (lines.size() > MAX_LINES) {
            throw new ProbeFailure("nvidia-smi printed more than " + MAX_LINES + " lines");
        }
        return lines;
    }

    private static List<String> fields(String line, int width) throws ProbeFailure {
        var fields = new ArrayList<String>(width);
        for (var field : line.split(",", width)) {
            fields.add(field.strip());
        }
        if (fields.size() != width) {
            throw invalid(line);
        }
        return fields;
    }

    private static String uuid(String text) throws ProbeFailure {
        if (!UUID.matcher(text).matches()) {
            throw invalid(text);
        }
        return text;
    }

    private static String name(String text) throws ProbeFailure {
        if (text.isEmpty() || text.length() > MAX_NAME_CHARS || hasControls(text)) {
            throw invalid(text);
        }
        return text;
    }

    /** An invalid value is treated as unknown, because the process exists in any case. */
    private static OptionalLong memory(String text) {
        try {
            return number(text, MAX_MIB);
        } catch (ProbeFailure _) {
            return OptionalLong.empty();
        }
    }

    /**
     * A user can give a program any name, and must not be able to invalidate the whole list with
     * it.
     */
    private static String program(String text) {
        var end =
                text.length() > MAX_NAME_CHARS
                        ? text.substring(text.length() - MAX_NAME_CHARS)
                        : text;
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
            throw invalid(text);
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

    private static ProbeFailure invalid(String text) {
        return new ProbeFailure("nvidia-smi printed unexpected output: " + quoted(text));
    }

    /** Shortened and without control characters, for logs and web pages. */
    static String quoted(String text) {
        var clean = new StringBuilder("\"");
        text.codePoints()
                .limit(60)
                .map(point -> Character.isISOControl(point) ? '?' : point)
                .forEach(clean::appendCodePoint);
        return clean.append(text.codePointCount(0, text.length()) > 60 ? "…\"" : "\"").toString();
    }
}
