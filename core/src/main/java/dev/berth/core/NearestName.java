package dev.berth.core;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeSet;

/** Suggests the known name that an unknown name probably stands for. */
public final class NearestName {

    /** Up to this many changed letters count as a typing error. */
    private static final int MAX_TYPOS = 2;

    private static final int MAX_LENGTH = 40;

    private NearestName() {}

    /** The rejection of an unknown name, with a suggestion. */
    public static Rejected rejectUnknown(String what, String name, Collection<String> known) {
        var suggestion = find(name, known);
        var all = String.join(", ", new TreeSet<>(known));
        var refusal = Rejected.invalid(what + ".unknown", name).with("known", all);
        return suggestion.isPresent()
                ? refusal.variant("nearest").with("nearest", suggestion.get())
                : refusal;
    }

    public static Optional<String> find(String name, Collection<String> known) {
        if (name.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        return known.stream()
                .filter(other -> distance(name, other) <= Math.min(MAX_TYPOS, other.length() / 2))
                .min(
                        Comparator.comparingInt((String other) -> distance(name, other))
                                .thenComparing(Comparator.naturalOrder()));
    }

    /** Letters to change, add or drop, and neighbours to swap: people often swap two letters. */
    private static int distance(String a, String b) {
        var beforeLast = new int[b.length() + 1];
        var last = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            var row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(last[j], row[j - 1]) + 1);
                if (isSwapped(a, i, b, j)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            beforeLast = last;
            last = row;
        }
        return last[b.length()];
    }

    private static boolean isSwapped(String a, int i, String b, int j) {
        return i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
    }
}
