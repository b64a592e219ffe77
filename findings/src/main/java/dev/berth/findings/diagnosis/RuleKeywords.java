package dev.berth.findings.diagnosis;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The texts without which a pattern of a rule cannot match. Most lines contain none of them, and
 * the search for all of them together is much cheaper than the patterns.
 */
final class RuleKeywords {

    private static final List<String> WORDS =
            CauseRules.ALL.stream()
                    .filter(CauseRule.LineRule.class::isInstance)
                    .flatMap(rule -> ((CauseRule.LineRule) rule).patterns().stream())
                    .flatMap(pattern -> pattern.literals().stream())
                    .distinct()
                    .toList();

    private static final Map<String, Integer> NUMBERS = numbers();
    private static final KeywordSearch SEARCH = new KeywordSearch(WORDS);

    private RuleKeywords() {}

    private static Map<String, Integer> numbers() {
        var found = new HashMap<String, Integer>();
        for (int i = 0; i < WORDS.size(); i++) {
            found.put(WORDS.get(i), i);
        }
        return Map.copyOf(found);
    }

    static BitSet in(String text) {
        return SEARCH.in(text);
    }

    static boolean mayMatch(CauseRule.LinePattern pattern, BitSet words) {
        if (pattern.literals().isEmpty()) {
            return true;
        }
        for (var literal : pattern.literals()) {
            if (words.get(NUMBERS.getOrDefault(literal, 0))) {
                return true;
            }
        }
        return false;
    }
}
