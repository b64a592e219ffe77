package dev.berth.node.card;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.node.card.Holders.Holder;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How one attempt looked on its cards in one reading.
 *
 * @param isThere one of its processes was on a card
 * @param memory of its own processes, in MiB
 * @param load in percent; where tasks share a card it is that of all of them, since drivers tell no
 *     more
 */
record Sight(boolean isThere, Optional<Figure> memory, Optional<Figure> load) {

    /**
     * @param peak on the card that has the most of it
     * @param mean over its cards
     */
    record Figure(long peak, double mean) {

        static Optional<Figure> of(List<Long> values) {
            var all = values.stream().mapToLong(Long::longValue).summaryStatistics();
            return all.getCount() == 0
                    ? Optional.empty()
                    : Optional.of(new Figure(all.getMax(), all.getAverage()));
        }
    }

    /**
     * @param others who else may be on its cards
     */
    static Sight of(Holder holder, List<Holder> others, List<CardState> cards) {
        var ours = new Whose.Ours(holder.attempt());
        var memory = new ArrayList<Long>();
        var load = new ArrayList<Long>();
        boolean isThere = false;
        for (var state : cards) {
            if (!(state instanceof CardState.Readable(var card, var reading))) {
                continue;
            }
            var uuid = card.id().uuid();
            var own =
                    reading.occupants().orElse(List.of()).stream()
                            .filter(one -> one.whose().equals(ours))
                            .toList();
            if (own.isEmpty() && holder.claimOn(uuid).isEmpty()) {
                continue;
            }
            boolean isAlone =
                    others.stream().noneMatch(one -> isOther(one, holder, uuid))
                            && reading.occupants().orElse(own).size() == own.size();
            var mib = memory(reading, own, isAlone);
            isThere |= !own.isEmpty() || (reading.occupants().isEmpty() && mib.orElse(0) > 0);
            mib.ifPresent(memory::add);
            reading.utilizationPercent().ifPresent(percent -> load.add((long) percent));
        }
        return new Sight(isThere, Figure.of(memory), Figure.of(load));
    }

    private static boolean isOther(Holder one, Holder holder, String uuid) {
        return !one.attempt().equals(holder.attempt()) && one.claimOn(uuid).isPresent();
    }

    /** What the card has in use stands for its processes only where there are no others. */
    private static OptionalLong memory(Reading reading, List<Occupant> own, boolean isAlone) {
        boolean isTold =
                reading.occupants().isPresent()
                        && own.stream().allMatch(one -> one.usedMib().isPresent());
        if (isTold) {
            return OptionalLong.of(own.stream().mapToLong(one -> one.usedMib().orElse(0)).sum());
        }
        return isAlone ? reading.usedMib() : OptionalLong.empty();
    }
}
