package dev.berth.simulator.replay;

import java.util.Arrays;

/**
 * Finds the first entry from a position on that is not longer than a limit, in logarithmic time: a
 * binary tree in an array, where each inner entry is the shortest of its two children.
 */
final class ShortestFinder {

    /** The length of an entry that is not there. */
    static final long ABSENT = Long.MAX_VALUE;

    private final int leaves;
    private final long[] shortest;

    ShortestFinder(int size) {
        leaves = Math.max(1, Integer.highestOneBit(Math.max(1, size - 1)) * 2);
        shortest = new long[2 * leaves];
        Arrays.fill(shortest, ABSENT);
    }

    void set(int position, long length) {
        int at = leaves + position;
        shortest[at] = length;
        for (at /= 2; at > 0; at /= 2) {
            shortest[at] = Math.min(shortest[2 * at], shortest[2 * at + 1]);
        }
    }

    /** The position, or -1 if there is none. */
    int first(int from, long longest) {
        if (from >= leaves) {
            return -1;
        }
        int at = leaves + from;
        while (shortest[at] > longest) {
            // Up to the first ancestor that has a subtree on the right which was not searched.
            while (at % 2 == 1) {
                at /= 2;
            }
            if (at == 0) {
                return -1;
            }
            at++;
        }
        while (at < leaves) {
            at = shortest[2 * at] <= longest ? 2 * at : 2 * at + 1;
        }
        return at - leaves;
    }
}
