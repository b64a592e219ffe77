package dev.berth.node.card;

import dev.berth.core.card.Reading;

import java.util.OptionalLong;

/**
 * What a probe said of one card. Its occupants are named by pid; whose they are is found out
 * afterwards, unless the probe knows.
 *
 * @param isSplit in MIG mode: what runs there sees parts of it, not the card
 */
record CardRow(
        String uuid,
        int index,
        String model,
        OptionalLong totalMib,
        Reading reading,
        boolean isSplit) {}
