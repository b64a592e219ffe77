package dev.berth.cli.text;

import org.jspecify.annotations.Nullable;

/** Suggests the known word closest to a mistyped one. */
public final class SpellingSuggestion {

    private static final int MAX_DISTANCE = 2;

    private SpellingSuggestion() {}

    /** The word with the smallest edit distance, or null if none is close. */
    public static @Nullable String closest(String typed, Iterable<String> known) {
        String nearest = null;
        int smallest = Math.min(MAX_DISTANCE + 1, typed.length());
        for (String word : known) {
            int distance = distance(typed, word);
            if (distance < smallest) {
                smallest = distance;
                nearest = word;
            }
        }
        return nearest;
    }

    /** The Levenshtein distance, computed with a single row. */
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
