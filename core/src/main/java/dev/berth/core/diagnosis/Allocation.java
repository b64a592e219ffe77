package dev.berth.core.diagnosis;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The figures in a message about memory that was not to be had on a card. */
final class Allocation {

    static final String TRIED = "tried_mib";
    static final String TOTAL = "total_mib";

    /** What the process held when it asked for more. */
    static final String USED = "used_mib";

    /** What PyTorch holds and does not use. */
    static final String UNUSED = "unused_mib";

    private static final String SIZE = "(\\d{1,15}(?:\\.\\d{1,6})?) ?(bytes|[KMGT]i?B)\\b";

    /** The first of its name counts: PyTorch's newer words stand before its older ones. */
    private static final List<Map.Entry<String, Pattern>> FIGURES =
            List.of(
                    figure(TRIED, "[Tt]ried to allocate " + SIZE),
                    figure(TRIED, "trying to allocate " + SIZE),
                    figure(TRIED, "Failed to allocate request for " + SIZE),
                    figure(TOTAL, "total capacity of " + SIZE),
                    figure(TOTAL, SIZE + " total capacity"),
                    figure(USED, "this process has " + SIZE + " memory in use"),
                    figure(USED, SIZE + " reserved in total by PyTorch"),
                    figure(UNUSED, SIZE + " is reserved by PyTorch but unallocated"));

    private Allocation() {}

    private static Map.Entry<String, Pattern> figure(String name, String pattern) {
        return Map.entry(name, Pattern.compile(pattern));
    }

    static SortedMap<String, String> read(String line) {
        var found = new TreeMap<String, String>();
        for (var figure : FIGURES) {
            var match = figure.getValue().matcher(line);
            if (match.find()) {
                var mib = mib(Double.parseDouble(match.group(1)), match.group(2));
                found.putIfAbsent(figure.getKey(), Long.toString(mib));
            }
        }
        return found;
    }

    /** Rounded up: who asks for a little must not seem to ask for nothing. */
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
