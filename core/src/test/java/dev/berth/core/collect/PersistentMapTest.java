package dev.berth.core.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

class PersistentMapTest {

    @Test
    void agreesWithTreeMapUnderRandomChanges() {
        for (long seed = 0; seed < 50; seed++) {
            var random = new SplittableRandom(seed);
            var expected = new TreeMap<Integer, Integer>();
            PersistentMap<Integer, Integer> map = PersistentMap.empty();
            for (int step = 0; step < 400; step++) {
                int key = random.nextInt(100);
                if (random.nextInt(3) == 0) {
                    expected.remove(key);
                    map = map.without(key);
                } else {
                    expected.put(key, step);
                    map = map.with(key, step);
                }
            }
            assertThat(entries(map))
                    .as("seed %d", seed)
                    .isEqualTo(List.copyOf(expected.entrySet()));
            assertThat(map.size()).isEqualTo(expected.size());
            var visited = new ArrayList<Map.Entry<Integer, Integer>>();
            map.forEach(visited::add);
            assertThat(visited).isEqualTo(entries(map));
            for (int key = 0; key < 100; key++) {
                assertThat(map.rank(key)).isEqualTo(expected.headMap(key).size());
                assertThat(map.get(key).orElse(null)).isEqualTo(expected.get(key));
                assertThat(map.firstFrom(key).orElse(null)).isEqualTo(expected.ceilingEntry(key));
            }
        }
    }

    @Test
    void sortedValuesBecomeTheMapThatPutsWouldMake() {
        for (int size : List.of(0, 1, 2, 3, 7, 8, 1000)) {
            var values = new ArrayList<Integer>();
            PersistentMap<Integer, Integer> expected = PersistentMap.empty();
            for (int value = 0; value < size; value++) {
                values.add(value);
                expected = expected.with(2 * value, value);
            }
            var map = PersistentMap.ofSorted(values, value -> 2 * value);
            assertThat(map).isEqualTo(expected);
            // It is balanced: a change keeps it sorted and complete.
            var changed = map.with(1, -1).without(0);
            assertThat(entries(changed)).isEqualTo(entries(expected.with(1, -1).without(0)));
        }
    }

    @Test
    void sortedValuesAreComparedOnceEach() {
        var comparisons = new AtomicInteger();
        record Key(int number, AtomicInteger comparisons) implements Comparable<Key> {
            @Override
            public int compareTo(Key other) {
                comparisons.incrementAndGet();
                return Integer.compare(number, other.number);
            }
        }
        var values = IntStream.range(0, 1000).boxed().toList();
        assertThat(PersistentMap.ofSorted(values, value -> new Key(value, comparisons)).size())
                .isEqualTo(1000);
        assertThat(comparisons).hasValue(999);
    }

    @Test
    void valuesOutOfOrderAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PersistentMap.ofSorted(List.of(1, 3, 2), value -> value))
                .withMessage("2 is not after 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PersistentMap.ofSorted(List.of(1, 1), value -> value));
    }

    @Test
    void anUpdateLeavesTheOldMapAsItWas() {
        var before = PersistentMap.<Integer, String>empty().with(1, "one").with(2, "two");
        var after = before.with(1, "uno").without(2);
        assertThat(before.get(1)).contains("one");
        assertThat(before.get(2)).contains("two");
        assertThat(after.get(1)).contains("uno");
        assertThat(after.contains(2)).isFalse();
    }

    @Test
    void staysShallowWhenKeysComeInOrder() {
        PersistentMap<Integer, Integer> map = PersistentMap.empty();
        for (int key = 0; key < 100_000; key++) {
            map = map.with(key, key);
        }
        // A degenerate tree would overflow the stack here and in every put above.
        for (int key = 0; key < 99_999; key++) {
            map = map.without(key);
        }
        assertThat(map.first()).contains(Map.entry(99_999, 99_999));
    }

    @Test
    void equalContentsAreEqualWhateverTheOrderOfInsertion() {
        var forwards =
                PersistentMap.<Integer, String>empty().with(1, "a").with(2, "b").with(3, "c");
        var backwards =
                PersistentMap.<Integer, String>empty().with(3, "c").with(2, "b").with(1, "a");
        assertThat(forwards).isEqualTo(backwards).hasSameHashCodeAs(backwards);
        assertThat(forwards).isNotEqualTo(backwards.with(3, "d"));
    }

    private static List<Map.Entry<Integer, Integer>> entries(PersistentMap<Integer, Integer> map) {
        var entries = new ArrayList<Map.Entry<Integer, Integer>>();
        map.forEach(entries::add);
        return entries;
    }
}
