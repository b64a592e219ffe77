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

    /** Letters to change, add or drop, and neighbours to swap: people often swap two letters. */
    private static int distance(String from, String to) {
        int[] beforeLast = new int[to.length() + 1];
        int[] last = new int[to.length() + 1];
        for (int column = 0; column <= to.length(); column++) {
            last[column] = column;
        }
        for (int line = 1; line <= from.length(); line++) {
            int[] row = new int[to.length() + 1];
            row[0] = line;
            for (int column = 1; column <= to.length(); column++) {
                int change = from.charAt(line - 1) == to.charAt(column - 1) ? 0 : 1;
                row[column] =
                        Math.min(
                                last[column - 1] + change,
                                Math.min(last[column], row[column - 1]) + 1);
                if (isSwapped(from, line, to, column)) {
                    row[column] = Math.min(row[column], beforeLast[column - 2] + 1);
                }
            }
            beforeLast = last;
            last = row;
        }
        return last[to.length()];
    }

    private static boolean isSwapped(String from, int line, String to, int column) {
        return line > 1
                && column > 1
                && from.charAt(line - 1) == to.charAt(column - 2)
                && from.charAt(line - 2) == to.charAt(column - 1);
    }
}
