package dev.berth.server.history;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.engine.State;
import dev.berth.engine.port.History.Measure;
import dev.berth.engine.port.Minute;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What a state says of a card and of an attempt. What the driver does not say stays unknown. */
final class Samples {

    private static final long UNKNOWN = -1;

    private Samples() {}

    static void put(Reading reading, Minute into, int second) {
        put(into, second, Measure.MEMORY_MIB, reading.usedMib().orElse(UNKNOWN));
        put(into, second, Measure.PERCENT, percent(reading));
        put(into, second, Measure.CELSIUS, reading.temperatureC().orElse((int) UNKNOWN));
    }

    /** Its memory on all its cards together, their mean load, and the hottest. */
    static void put(Attempt attempt, State state, Minute into, int second) {
        long memory = 0;
        long load = 0;
        int loads = 0;
        long hottest = UNKNOWN;
        for (var claim : attempt.claims()) {
            if (!(state.cards().get(claim.card()).orElse(null)
                    instanceof CardState.Readable(_, var reading))) {
                memory = UNKNOWN;
                continue;
            }
            long here = memory(attempt.id(), claim, reading, state);
            memory = memory == UNKNOWN || here == UNKNOWN ? UNKNOWN : memory + here;
            long percent = percent(reading);
            if (percent != UNKNOWN) {
                load += percent;
                loads++;
            }
            hottest = Math.max(hottest, reading.temperatureC().orElse((int) UNKNOWN));
        }
        put(into, second, Measure.MEMORY_MIB, memory);
        put(
                into,
                second,
                Measure.PERCENT,
                loads == 0 ? UNKNOWN : Math.round((double) load / loads));
        put(into, second, Measure.CELSIUS, hottest);
    }

    private static void put(Minute into, int second, Measure measure, long value) {
        if (value != UNKNOWN) {
            into.put(second, measure, value);
        }
    }

    private static long percent(Reading reading) {
        OptionalInt mean = reading.meanUtilizationPercent();
        return (mean.isPresent() ? mean : reading.utilizationPercent()).orElse((int) UNKNOWN);
    }

    private static long memory(AttemptId attempt, Claim claim, Reading reading, State state) {
        long own = reading.occupants().map(all -> own(attempt, all)).orElse(UNKNOWN);
        if (own != UNKNOWN) {
            return own;
        }
        boolean isAlone = state.holds().get(claim.card()).orElse(List.of()).size() == 1;
        return isAlone ? reading.usedMib().orElse(UNKNOWN) : UNKNOWN;
    }

    /** Unknown where the driver lists a process of it but not what that holds. */
    private static long own(AttemptId attempt, List<Occupant> occupants) {
        long sum = 0;
        for (var occupant : occupants) {
            if (occupant.whose() instanceof Whose.Ours(var owner) && owner.equals(attempt)) {
                OptionalLong used = occupant.usedMib();
                if (used.isEmpty()) {
                    return UNKNOWN;
                }
                sum += used.getAsLong();
            }
        }
        return sum;
    }
}
