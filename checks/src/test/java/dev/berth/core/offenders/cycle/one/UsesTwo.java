package dev.berth.core.offenders.cycle.one;

import dev.berth.core.offenders.cycle.two.UsesOne;

/** One half of a package cycle. */
public record UsesTwo(UsesOne other) {}
