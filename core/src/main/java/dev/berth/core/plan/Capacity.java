package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.Need;

import java.util.OptionalLong;

/** How much memory a card could give at most, if nobody used it. */
public final class Capacity {

    private Capacity() {}

    /** The most that one of the cards could give that such a task may have; none without cards. */
    public static OptionalLong mostMib(PersistentMap<?, CardState> cards, Need need) {
        return need instanceof Need.Cards asked
                ? cards.values()
                        .filter(one -> isFor(asked, one))
                        .mapToLong(Capacity::usableMib)
                        .max()
                : OptionalLong.empty();
    }

    private static boolean isFor(Need.Cards asked, CardState one) {
        var card = one.card();
        return asked.type().stream().allMatch(card.model()::equals)
                && asked.devices().stream().allMatch(them -> them.indices().contains(card.index()));
    }

    /** The driver keeps a part of a card for itself. */
    private static long usableMib(CardState state) {
        if (state instanceof CardState.Readable(var card, var reading)) {
            var used = reading.usedMib();
            var free = reading.freeMib();
            return used.isPresent() && free.isPresent()
                    ? used.getAsLong() + free.getAsLong()
                    : card.totalMib();
        }
        return state.card().totalMib();
    }
}
