package dev.berth.server.http;

import dev.berth.core.Rejected;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeSet;

/** Finds what somebody may have meant. */
public final class Nearest {

    /** A word this many letters away is still taken for a slip of the fingers. */
    private static final int SLIP = 2;

    private static final int LONGEST = 40;

    private Nearest() {}

    /** What to say of a name that nobody knows. */
    public static Rejected unknown(String what, String name, Collection<String> known) {
        var near = to(name, known);
        var all = String.join(", ", new TreeSet<>(known));
        var hint =
                near.map(other -> " Did you mean " + other + "?")
                        .orElse(all.isEmpty() ? " There is none here." : " Known: " + all + ".");
        var refusal =
                Rejected.invalid(
                                what + ".unknown",
                                name,
                                "There is no " + what + " " + Param.shown(name) + "." + hint)
                        .with("known", all);
        return near.isPresent() ? refusal.with("nearest", near.get()) : refusal;
    }

    public static Optional<String> to(String name, Collection<String> known) {
        if (name.length() > LONGEST) {
            return Optional.empty();
        }
        return known.stream()
                .filter(other -> distance(name, other) <= Math.min(SLIP, other.length() / 2))
                .min(
                        Comparator.comparingInt((String other) -> distance(name, other))
                                .thenComparing(Comparator.naturalOrder()));
    }

    /** Levenshtein's: letters to change, add or drop. */
    private static int distance(String a, String b) {
        var row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
