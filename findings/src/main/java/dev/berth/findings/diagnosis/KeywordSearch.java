package dev.berth.findings.diagnosis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Finds which of many words a text contains, in any case, in one pass over the text (the algorithm
 * of Aho and Corasick). Only for words of ASCII.
 */
final class KeywordSearch {

    private static final int ALPHABET = 128;

    /** For each state the state after each character. */
    private final int[][] next;

    /** For each state the words that end there. */
    private final BitSet[] found;

    /**
     * @param words in lower case
     */
    KeywordSearch(List<String> words) {
        var states = new ArrayList<int[]>();
        var ends = new ArrayList<BitSet>();
        states.add(new int[ALPHABET]);
        ends.add(new BitSet());
        for (int word = 0; word < words.size(); word++) {
            int state = 0;
            for (char letter : words.get(word).toCharArray()) {
                if (states.get(state)[letter] == 0) {
                    states.get(state)[letter] = states.size();
                    states.add(new int[ALPHABET]);
                    ends.add(new BitSet());
                }
                state = states.get(state)[letter];
            }
            ends.get(state).set(word);
        }
        next = states.toArray(int[][]::new);
        found = ends.toArray(BitSet[]::new);
        addFallbacks();
    }

    /** Where a word breaks off, the search goes on in the longest word that its end begins. */
    private void addFallbacks() {
        var fallback = new int[next.length];
        var open = new ArrayDeque<Integer>();
        open.add(0);
        while (!open.isEmpty()) {
            int state = open.remove();
            found[state].or(found[fallback[state]]);
            for (int letter = 0; letter < ALPHABET; letter++) {
                int child = next[state][letter];
                int other = state == 0 ? 0 : next[fallback[state]][letter];
                if (child == 0) {
                    next[state][letter] = other;
                } else {
                    fallback[child] = other;
                    open.add(child);
                }
            }
        }
    }

    /** The numbers of the words that the text contains. */
    BitSet in(String text) {
        var words = new BitSet();
        int state = 0;
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            int lower = letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
            state = lower < ALPHABET ? next[state][lower] : 0;
            if (!found[state].isEmpty()) {
                words.or(found[state]);
            }
        }
        return words;
    }
}
