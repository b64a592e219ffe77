package dev.berth.core.collect;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * An immutable sorted map. {@link #with} and {@link #without} cost O(log n) and share all other
 * nodes with the original.
 *
 * <p>A weight-balanced tree: no subtree is more than {@value #DELTA} times heavier than its
 * sibling. Iteration is in key order, so results are the same in every run.
 */
public final class PersistentMap<K extends Comparable<? super K>, V>
        implements Iterable<Map.Entry<K, V>> {

    /** ⟨3, 2⟩ is the only integer pair (DELTA, GAMMA) proved to keep such a tree balanced. */
    private static final int DELTA = 3;

    private static final int GAMMA = 2;

    private static final PersistentMap<?, ?> EMPTY = new PersistentMap<>(null);

    private final @Nullable TreeNode<K, V> root;

    private PersistentMap(@Nullable TreeNode<K, V> root) {
        this.root = root;
    }

    @SuppressWarnings("unchecked") // an empty map holds no key and no value of any type
    public static <K extends Comparable<? super K>, V> PersistentMap<K, V> empty() {
        return (PersistentMap<K, V>) EMPTY;
    }

    /**
     * A map of all these values at once, in O(n).
     *
     * @param values in the order of their keys, which differ
     */
    public static <K extends Comparable<? super K>, V> PersistentMap<K, V> ofSorted(
            List<V> values, Function<? super V, K> key) {
        return values.isEmpty()
                ? empty()
                : new PersistentMap<>(new SortedValues<>(values, key).tree(0, values.size()));
    }

    public int size() {
        return weight(root) - 1;
    }

    public boolean isEmpty() {
        return root == null;
    }

    public Optional<V> get(K key) {
        var at = root;
        while (at != null) {
            int side = key.compareTo(at.key);
            if (side == 0) {
                return Optional.of(at.value);
            }
            at = side < 0 ? at.left : at.right;
        }
        return Optional.empty();
    }

    public boolean contains(K key) {
        return get(key).isPresent();
    }

    public PersistentMap<K, V> with(K key, V value) {
        return new PersistentMap<>(put(root, key, value));
    }

    public PersistentMap<K, V> without(K key) {
        return contains(key) ? new PersistentMap<>(remove(root, key)) : this;
    }

    public Optional<Map.Entry<K, V>> first() {
        var at = root;
        while (at != null && at.left != null) {
            at = at.left;
        }
        return Optional.ofNullable(at);
    }

    public Optional<Map.Entry<K, V>> last() {
        var at = root;
        while (at != null && at.right != null) {
            at = at.right;
        }
        return Optional.ofNullable(at);
    }

    /** The entry with the smallest key that is not smaller than this one. */
    public Optional<Map.Entry<K, V>> firstFrom(K key) {
        TreeNode<K, V> found = null;
        var at = root;
        while (at != null) {
            if (key.compareTo(at.key) <= 0) {
                found = at;
                at = at.left;
            } else {
                at = at.right;
            }
        }
        return Optional.ofNullable(found);
    }

    /** How many keys are smaller, which is the zero-based index of this key. */
    public int rank(K key) {
        int smaller = 0;
        var at = root;
        while (at != null) {
            int side = key.compareTo(at.key);
            if (side <= 0) {
                at = at.left;
            } else {
                smaller += weight(at.left);
                at = at.right;
            }
        }
        return smaller;
    }

    public Stream<V> values() {
        return StreamSupport.stream(spliterator(), false).map(Map.Entry::getValue);
    }

    @Override
    public void forEach(Consumer<? super Map.Entry<K, V>> action) {
        forEach(root, action);
    }

    private static <K, V> void forEach(
            @Nullable TreeNode<K, V> at, Consumer<? super Map.Entry<K, V>> action) {
        if (at != null) {
            forEach(at.left, action);
            action.accept(at);
            forEach(at.right, action);
        }
    }

    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
        return new InOrder<>(root);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (!(other instanceof PersistentMap<?, ?> that) || that.size() != size()) {
            return false;
        }
        if (isTheSame(that)) {
            return true;
        }
        var mine = iterator();
        for (var theirs : that) {
            if (!mine.next().equals(theirs)) {
                return false;
            }
        }
        return true;
    }

    /** Most compared maps are identical, and then the entries are not compared. */
    @SuppressWarnings("ReferenceEquality")
    private boolean isTheSame(PersistentMap<?, ?> that) {
        return that.root == root;
    }

    @Override
    public int hashCode() {
        int hash = 0;
        for (var entry : this) {
            hash = 31 * hash + entry.hashCode();
        }
        return hash;
    }

    @Override
    public String toString() {
        var text = new StringBuilder("{");
        for (var entry : this) {
            text.append(text.length() > 1 ? ", " : "").append(entry);
        }
        return text.append('}').toString();
    }

    private static int weight(@Nullable TreeNode<?, ?> node) {
        return node == null ? 1 : node.weight;
    }

    private static <K extends Comparable<? super K>, V> TreeNode<K, V> put(
            @Nullable TreeNode<K, V> at, K key, V value) {
        if (at == null) {
            return new TreeNode<>(key, value, null, null);
        }
        int side = key.compareTo(at.key);
        if (side == 0) {
            return new TreeNode<>(key, value, at.left, at.right);
        }
        return side < 0
                ? balanced(at, put(at.left, key, value), at.right)
                : balanced(at, at.left, put(at.right, key, value));
    }

    private static <K extends Comparable<? super K>, V> @Nullable TreeNode<K, V> remove(
            @Nullable TreeNode<K, V> at, K key) {
        if (at == null) {
            return null;
        }
        int side = key.compareTo(at.key);
        if (side < 0) {
            return balanced(at, remove(at.left, key), at.right);
        }
        if (side > 0) {
            return balanced(at, at.left, remove(at.right, key));
        }
        if (at.left == null) {
            return at.right;
        }
        if (at.right == null) {
            return at.left;
        }
        var next = at.right;
        while (next.left != null) {
            next = next.left;
        }
        return balanced(next, at.left, remove(at.right, next.key));
    }

    /**
     * A node with {@code top}'s entry over two subtrees of which at most one was changed by one
     * entry.
     */
    private static <K extends Comparable<? super K>, V> TreeNode<K, V> balanced(
            TreeNode<K, V> top, @Nullable TreeNode<K, V> left, @Nullable TreeNode<K, V> right) {
        if (right != null && weight(right) > DELTA * weight(left)) {
            return weight(right.left) < GAMMA * weight(right.right) || right.left == null
                    ? over(right, over(top, left, right.left), right.right)
                    : over(
                            right.left,
                            over(top, left, right.left.left),
                            over(right, right.left.right, right.right));
        }
        if (left != null && weight(left) > DELTA * weight(right)) {
            return weight(left.right) < GAMMA * weight(left.left) || left.right == null
                    ? over(left, left.left, over(top, left.right, right))
                    : over(
                            left.right,
                            over(left, left.left, left.right.left),
                            over(top, left.right.right, right));
        }
        return over(top, left, right);
    }

    private static <K extends Comparable<? super K>, V> TreeNode<K, V> over(
            TreeNode<K, V> entry, @Nullable TreeNode<K, V> left, @Nullable TreeNode<K, V> right) {
        return new TreeNode<>(entry.key, entry.value, left, right);
    }

    private static final class TreeNode<K, V> implements Map.Entry<K, V> {
        private final K key;
        private final V value;
        private final @Nullable TreeNode<K, V> left;
        private final @Nullable TreeNode<K, V> right;
        private final int weight;

        TreeNode(K key, V value, @Nullable TreeNode<K, V> left, @Nullable TreeNode<K, V> right) {
            this.key = key;
            this.value = value;
            this.left = left;
            this.right = right;
            this.weight = PersistentMap.weight(left) + PersistentMap.weight(right);
        }

        @Override
        public K getKey() {
            return key;
        }

        @Override
        public V getValue() {
            return value;
        }

        @Override
        public V setValue(V ignored) {
            throw new UnsupportedOperationException("a persistent map never changes");
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Map.Entry<?, ?> that
                    && key.equals(that.getKey())
                    && value.equals(that.getValue());
        }

        @Override
        public int hashCode() {
            return key.hashCode() ^ value.hashCode();
        }

        @Override
        public String toString() {
            return key + "=" + value;
        }
    }

    /** Makes a tree with equally heavy subtrees. */
    private static final class SortedValues<K extends Comparable<? super K>, V> {
        private final List<V> values;
        private final Function<? super V, K> key;
        private @Nullable K previous;

        SortedValues(List<V> values, Function<? super V, K> key) {
            this.values = values;
            this.key = key;
        }

        @Nullable TreeNode<K, V> tree(int from, int to) {
            if (from == to) {
                return null;
            }
            int middle = (from + to) >>> 1;
            var left = tree(from, middle);
            var value = values.get(middle);
            var top = key.apply(value);
            if (previous != null && previous.compareTo(top) >= 0) {
                throw new IllegalArgumentException(top + " is not after " + previous);
            }
            previous = top;
            return new TreeNode<>(top, value, left, tree(middle + 1, to));
        }
    }

    private static final class InOrder<K extends Comparable<? super K>, V>
            implements Iterator<Map.Entry<K, V>> {
        private final Deque<TreeNode<K, V>> path = new ArrayDeque<>();

        InOrder(@Nullable TreeNode<K, V> root) {
            descend(root);
        }

        private void descend(@Nullable TreeNode<K, V> from) {
            for (var at = from; at != null; at = at.left) {
                path.push(at);
            }
        }

        @Override
        public boolean hasNext() {
            return !path.isEmpty();
        }

        @Override
        public Map.Entry<K, V> next() {
            if (path.isEmpty()) {
                throw new NoSuchElementException();
            }
            var at = path.pop();
            descend(at.right);
            return at;
        }
    }
}
