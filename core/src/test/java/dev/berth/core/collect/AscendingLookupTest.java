package dev.berth.core.collect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Random;

class AscendingLookupTest {

    @Test
    void findsWhatASearchFinds() {
        for (long seed = 0; seed < 1000; seed++) {
            var random = new Random(seed);
            var map = PersistentMap.<Integer, String>empty();
            for (int i = random.nextInt(20); i > 0; i--) {
                int key = random.nextInt(30);
                map = map.with(key, "value " + key);
            }
            var lookup = new AscendingLookup<>(map);
            for (int key = random.nextInt(5); key < 30; key += 1 + random.nextInt(4)) {
                assertThat(lookup.get(key))
                        .as("seed %s, key %s", seed, key)
                        .isEqualTo(map.get(key));
            }
        }
    }
}
