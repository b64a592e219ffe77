package dev.berth.findings.diagnosis;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads the numbers of an out-of-memory message. */
final class AllocationMessage {

    static final String TRIED = "tried_mib";
    static final String TOTAL = "total_mib";
    static final String FREE = "free_mib";

    /** GPU memory of the process before the failed allocation. */
    static final String USED = "used_mib";

    /** Memory that PyTorch has reserved but not allocated. */
    static final String UNUSED = "unused_mib";

    private static final double MIB = 1 << 20;

    private static final String SIZE =
            "(\\d{1,15}(?:\\.\\d{1,6})?|\\d{1,3}(?:,\\d{3}){1,5}) ?(bytes|[KMGT]i?B|B\\b)";

    /** The first match of a name counts: newer messages of PyTorch come before older ones. */
    private static final List<Map.Entry<String, Pattern>> PATTERNS =
            List.of(
                    pattern(TRIED, "[Tt]ried to allocate " + SIZE),
                    pattern(TRIED, "trying to allocate " + SIZE),
                    pattern(TRIED, "Failed to allocate request for " + SIZE),
                    pattern(TRIED, "Cannot allocate " + SIZE),
                    pattern(TRIED, "[Oo]ut of memory allocating " + SIZE),
                    pattern(TRIED, "\\ballocating " + SIZE),
                    pattern(TRIED, "requested buffer of size (\\d{1,15})(\\b)"),
                    pattern(TOTAL, "total capaci?ty of " + SIZE),
                    pattern(TOTAL, SIZE + " total capacity"),
                    pattern(FREE, "of which " + SIZE + " is free"),
                    pattern(FREE, SIZE + " free\\b"),
                    pattern(FREE, "available memory is only " + SIZE),
                    pattern(USED, "this process has " + SIZE + " memory in use"),
                    pattern(USED, SIZE + " reserved in total by PyTorch"),
                    pattern(USED, SIZE + " cached\\b"),
                    pattern(USED, "allocated so far: " + SIZE),
                    pattern(UNUSED, SIZE + " is reserved by PyTorch but unallocated"));

    /** TensorFlow states the shape of the tensor instead of its size. */
    private static final Pattern TENSOR =
            Pattern.compile("tensor with shape ?\\[(\\d[\\d, ]{0,120})\\] and type (\\w{1,20})");

    private AllocationMessage() {}

    private static Map.Entry<String, Pattern> pattern(String name, String regex) {
        return Map.entry(name, Pattern.compile(regex));
    }

    static SortedMap<String, String> read(String line) {
        var found = new TreeMap<String, String>();
        for (var pattern : PATTERNS) {
            var match = pattern.getValue().matcher(line);
            if (match.find()) {
                double number = Double.parseDouble(match.group(1).replace(",", ""));
                found.putIfAbsent(pattern.getKey(), text(bytes(number, match.group(2))));
            }
        }
        tensorBytes(line).ifPresent(bytes -> found.putIfAbsent(TRIED, text(bytes)));
        return found;
    }

    private static OptionalDouble tensorBytes(String line) {
        var match = TENSOR.matcher(line);
        if (!match.find()) {
            return OptionalDouble.empty();
        }
        double bytes = bytesEach(match.group(2));
        for (var length : match.group(1).split("[, ]+")) {
            bytes *= Double.parseDouble(length);
        }
        return bytes > 0 ? OptionalDouble.of(bytes) : OptionalDouble.empty();
    }

    private static int bytesEach(String type) {
        return switch (type) {
            case "double", "float64", "int64", "uint64", "complex64" -> 8;
            case "complex128" -> 16;
            case "half", "float16", "bfloat16", "int16", "uint16" -> 2;
            case "int8", "uint8", "bool" -> 1;
            default -> 4;
        };
    }

    private static double bytes(double number, String unit) {
        var letter = unit.isEmpty() ? 'B' : unit.toUpperCase(Locale.ROOT).charAt(0);
        return switch (letter) {
            case 'B' -> number;
            case 'K' -> number * (1 << 10);
            case 'G' -> number * (1 << 30);
            case 'T' -> number * (1L << 40);
            default -> number * MIB;
        };
    }

    /** In MiB, rounded up, so that a small amount does not become zero. */
    private static String text(double bytes) {
        return Long.toString((long) Math.ceil(bytes / MIB));
    }
}
