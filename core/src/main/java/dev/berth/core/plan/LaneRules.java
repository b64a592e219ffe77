package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.collect.PersistentMap;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How the lanes of command files share the machine with others.
 *
 * @param named the cards they may use, in this order; all where absent
 * @param left so many cards are left to others
 * @param isExtreme they share cards while memory lasts, and do not mind their own user's processes
 */
public record LaneRules(Optional<List<Integer>> named, int left, boolean isExtreme) {

    public static final LaneRules USUAL = new LaneRules(Optional.empty(), 1, false);

    public LaneRules {
        named = named.map(List::copyOf);
        if (left < 0) {
            throw new IllegalArgumentException("gpu_left is 0 or more, not " + left);
        }
    }

    /**
     * Which cards lanes may use now: of those that can be read and are Berth's, the last few are
     * kept back.
     */
    Cards among(PersistentMap<?, CardState> known, Pool pool) {
        var here = new TreeSet<Integer>();
        known.values()
                .filter(CardState.Readable.class::isInstance)
                .map(state -> state.card().index())
                .filter(pool::contains)
                .forEach(here::add);
        var list = new ArrayList<Integer>(named.orElseGet(() -> List.copyOf(here)));
        list.retainAll(here);
        int firstKept = Math.max(0, list.size() - left);
        return new Cards(new TreeSet<>(list), new TreeSet<>(list.subList(firstKept, list.size())));
    }

    /**
     * The lanes' cards, by index.
     *
     * @param all of them
     * @param kept those of them that are kept back for others
     */
    public record Cards(SortedSet<Integer> all, SortedSet<Integer> kept) {

        public Cards {
            all = Collections.unmodifiableSortedSet(new TreeSet<>(all));
            kept = Collections.unmodifiableSortedSet(new TreeSet<>(kept));
        }
    }
}
