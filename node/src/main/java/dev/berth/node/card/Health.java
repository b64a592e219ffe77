package dev.berth.node.card;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the driver says of a card's hardware. What it does not know is no complaint.
 *
 * @param uncorrected errors of its memory that could not be corrected, since the driver was loaded
 * @param isRepairPending a bad page or row is to be taken out of use at the next reset
 * @param isRepairFailed there was no spare row left for a bad one
 * @param isHot it slows itself down, lest it be damaged
 * @param remedy what the driver asks for, like {@code Reset}
 */
record Health(
        String uuid,
        Optional<PciAddress> place,
        OptionalLong uncorrected,
        boolean isRepairPending,
        boolean isRepairFailed,
        boolean isHot,
        Optional<String> remedy) {

    /** Why such a card is not to be trusted with work, if so. */
    Optional<String> complaint() {
        if (isRepairFailed) {
            return Optional.of("bad memory could not be replaced");
        }
        if (isRepairPending) {
            return Optional.of("bad memory waits to be taken out of use by a reset");
        }
        if (isHot) {
            return Optional.of("it is too hot and slows itself down");
        }
        return remedy.map(what -> "the driver asks for: " + what);
    }
}
