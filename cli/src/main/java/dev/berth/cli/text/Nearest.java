package dev.berth.cli.text;

import org.jspecify.annotations.Nullable;

/** What a mistyped word was meant to be. */
public final class Nearest {

    private static final int FARTHEST = 2;

    private Nearest() {}

    /** The one that takes the fewest strokes to correct, if there is one near. */
    public static @Nullable String to(String typed, Iterable<String> known) {
        String nearest = null;
        int least = Math.min(FARTHEST + 1, typed.length());
        for (String word : known) {
            int distance = distance(typed, word);
            if (distance < least) {
                least = distance;
                nearest = word;
            }
        }
        return nearest;
    }

    /** Levenshtein's, one row at a time. */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int column = 0; column <= to.length(); column++) {
            row[column] = column;
        }
        for (int line = 1; line <= from.length(); line++) {
            int diagonal = row[0];
            row[0] = line;
            for (int column = 1; column <= to.length(); column++) {
                int change = from.charAt(line - 1) == to.charAt(column - 1) ? 0 : 1;
                int best = Math.min(diagonal + change, Math.min(row[column], row[column - 1]) + 1);
                diagonal = row[column];
                row[column] = best;
            }
        }
        return row[to.length()];
    }
}
