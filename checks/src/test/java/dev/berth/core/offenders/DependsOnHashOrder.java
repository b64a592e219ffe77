package dev.berth.core.offenders;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Each depends on an order that differs between two runs. */
public final class DependsOnHashOrder {
    private DependsOnHashOrder() {}

    record CopiesAMap(Map<String, String> words) {
        Map<String, String> copy() {
            return Map.copyOf(words);
        }
    }

    record MakesASet() {
        Set<String> make() {
            return Set.of("a", "b");
        }
    }

    record Hashes() {
        Map<String, String> make() {
            return new HashMap<>();
        }
    }

    record Collects(List<String> words) {
        Set<String> collect() {
            return words.stream().collect(Collectors.toSet());
        }
    }

    record Groups(List<String> words) {
        Map<Integer, List<String>> group() {
            return words.stream().collect(Collectors.groupingBy(String::length));
        }
    }
}
