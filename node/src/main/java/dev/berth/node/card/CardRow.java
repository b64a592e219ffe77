package dev.berth.node.card;

import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a probe said of one card. Its occupants are named by pid; whose they are is found out
 * afterwards, unless the probe knows.
 *
 * @param isSplit in MIG mode: what runs there sees parts of it, not the card
 * @param trouble what the driver says in place of its memory, where it tries and fails; what a
 *     driver merely does not know is no trouble
 */
record CardRow(
        String uuid,
        int index,
        String model,
        OptionalLong totalMib,
        Reading reading,
        boolean isSplit,
        Optional<String> trouble) {

    CardRow(
            String uuid,
            int index,
            String model,
            OptionalLong totalMib,
            Reading reading,
            boolean isSplit) {
        this(uuid, index, model, totalMib, reading, isSplit, Optional.empty());
    }

    /** The driver lists it and has lost it all the same. */
    boolean isLost() {
        return trouble.filter(said -> said.toLowerCase(Locale.ROOT).contains("lost")).isPresent();
    }

    /** With these processes on it. */
    CardRow with(Optional<List<Occupant>> occupants) {
        return new CardRow(uuid, index, model, totalMib, reading.with(occupants), isSplit, trouble);
    }
}
