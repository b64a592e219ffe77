package dev.berth.core.card;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What the driver said of a card. Free is as reported: it is not total less used.
 *
 * @param meanUtilizationPercent over the second before the reading
 * @param occupants the processes on it; absent where the driver does not tell, which is not "none"
 */
public record Reading(
        OptionalLong usedMib,
        OptionalLong freeMib,
        OptionalInt utilizationPercent,
        OptionalInt temperatureC,
        OptionalInt meanUtilizationPercent,
        Optional<List<Occupant>> occupants) {

    public Reading {
        occupants = occupants.map(List::copyOf);
    }

    /** Of a card with no process on it, whose load has been the same for a while. */
    public Reading(
            OptionalLong usedMib,
            OptionalLong freeMib,
            OptionalInt utilizationPercent,
            OptionalInt temperatureC) {
        this(
                usedMib,
                freeMib,
                utilizationPercent,
                temperatureC,
                utilizationPercent,
                Optional.of(List.of()));
    }

    /** The same card with these processes on it. */
    public Reading with(Optional<List<Occupant>> others) {
        return new Reading(
                usedMib, freeMib, utilizationPercent, temperatureC, meanUtilizationPercent, others);
    }
}
