package dev.berth.core.card;

import java.util.OptionalInt;
import java.util.OptionalLong;

/** What the driver said of a card. Free is as reported: it is not total less used. */
public record Reading(
        OptionalLong usedMib,
        OptionalLong freeMib,
        OptionalInt utilizationPercent,
        OptionalInt temperatureC) {}
