package dev.berth.findings.diagnosis;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads the numbers of an out-of-memory message. */
final class AllocationMessage {

    static final String TRIED = "tried_mib";
    static final String TOTAL = "total_mib";

    /** GPU memory of the process before the failed allocation. */
    static final String USED = "used_mib";

    /** Memory that PyTorch has reserved but not allocated. */
    static final String UNUSED = "unused_mib";

    private static final String SIZE = "(\\d{1,15}(?:\\.\\d{1,6})?) ?(bytes|[KMGT]i?B)\\b";

    /** The first match of a name counts: newer messages of PyTorch come before older ones. */
    private static final List<Map.Entry<String, Pattern>> PATTERNS =
            List.of(
                    pattern(TRIED, "[Tt]ried to allocate " + SIZE),
                    pattern(TRIED, "trying to allocate " + SIZE),
                    pattern(TRIED, "Failed to allocate request for " + SIZE),
                    pattern(TOTAL, "total capacity of " + SIZE),
                    pattern(TOTAL, SIZE + " total capacity"),
                    pattern(USED, "this process has " + SIZE + " memory in use"),
                    pattern(USED, SIZE + " reserved in total by PyTorch"),
                    pattern(UNUSED, SIZE + " is reserved by PyTorch but unallocated"));

    private AllocationMessage() {}

    private static Map.Entry<String, Pattern> pattern(String name, String regex) {
        return Map.entry(name, Pattern.compile(regex));
    }

    static SortedMap<String, String> read(String line) {
        var found = new TreeMap<String, String>();
        for (var pattern : PATTERNS) {
            var match = pattern.getValue().matcher(line);
            if (match.find()) {
                var mib = mib(Double.parseDouble(match.group(1)), match.group(2));
                found.putIfAbsent(pattern.getKey(), Long.toString(mib));
            }
        }
        return found;
    }

    /** Rounded up, so that a small amount does not become zero. */
    private static long mib(double number, String unit) {
        double mib =
                switch (unit.toUpperCase(Locale.ROOT).charAt(0)) {
                    case 'B' -> number / (1 << 20);
                    case 'K' -> number / (1 << 10);
                    case 'G' -> number * (1 << 10);
                    case 'T' -> number * (1 << 20);
                    default -> number;
                };
        return (long) Math.ceil(mib);
    }
}
