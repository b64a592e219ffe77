package dev.berth.core.plan;

import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;

import java.util.List;
import java.util.OptionalLong;

/**
 * How much memory of a card can still be promised: what is free, less what attempts there were
 * promised and have not taken yet. What they have taken is missing from the free memory already and
 * is not counted again.
 */
public final class Headroom {

    private Headroom() {}

    /** Absent where the driver does not say how much is used or free. */
    public static OptionalLong mib(Reading reading, List<Hold> holds) {
        if (reading.usedMib().isEmpty() || reading.freeMib().isEmpty()) {
            return OptionalLong.empty();
        }
        long used = reading.usedMib().getAsLong();
        long free = reading.freeMib().getAsLong();
        long left =
                isEachShareKnown(reading, holds)
                        ? free - untaken(reading, holds)
                        : withoutShares(used, free, holds);
        return OptionalLong.of(Math.max(0, left));
    }

    /** Whether it can be told what each attempt has taken. */
    private static boolean isEachShareKnown(Reading reading, List<Hold> holds) {
        return reading.occupants().isPresent()
                && reading.occupants().get().stream()
                        .filter(one -> holds.stream().anyMatch(hold -> isOf(one, hold.attempt())))
                        .allMatch(one -> one.usedMib().isPresent());
    }

    private static long untaken(Reading reading, List<Hold> holds) {
        return holds.stream()
                .mapToLong(hold -> Math.max(0, hold.claim().mib() - taken(reading, hold.attempt())))
                .sum();
    }

    private static long taken(Reading reading, AttemptId attempt) {
        return reading.occupants().orElse(List.of()).stream()
                .filter(one -> isOf(one, attempt))
                .mapToLong(one -> one.usedMib().orElse(0))
                .sum();
    }

    private static boolean isOf(Occupant one, AttemptId attempt) {
        return one.whose() instanceof Whose.Ours(var owner) && owner.equals(attempt);
    }

    /**
     * Use up to the sum of the promises is taken for the attempts'; only what is above is others'.
     */
    private static long withoutShares(long used, long free, List<Hold> holds) {
        long promised = holds.stream().mapToLong(hold -> hold.claim().mib()).sum();
        long usable = used + free;
        return Math.min(free, usable - promised - Math.max(0, used - promised));
    }
}
