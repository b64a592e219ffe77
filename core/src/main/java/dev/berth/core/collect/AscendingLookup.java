package dev.berth.core.collect;

import org.jspecify.annotations.Nullable;

import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/**
 * Looks up ascending keys in one walk over a map. To look up nearly all keys this is cheaper than a
 * search for each of them.
 */
public final class AscendingLookup<K extends Comparable<? super K>, V> {

    private final Iterator<Map.Entry<K, V>> entries;
    private Map.@Nullable Entry<K, V> next;

    public AscendingLookup(PersistentMap<K, V> map) {
        this.entries = map.iterator();
        advance();
    }

    /**
     * @param key larger than that of the last call
     */
    public Optional<V> get(K key) {
        while (next != null) {
            int side = next.getKey().compareTo(key);
            if (side > 0) {
                return Optional.empty();
            }
            var found = next;
            advance();
            if (side == 0) {
                return Optional.of(found.getValue());
            }
        }
        return Optional.empty();
    }

    private void advance() {
        next = entries.hasNext() ? entries.next() : null;
    }
}
