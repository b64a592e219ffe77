package dev.berth.core.offenders.cycle.two;

import dev.berth.core.offenders.cycle.one.UsesTwo;

import java.util.List;

/** One half of a package cycle. */
public record UsesOne(List<String> names) {
    UsesTwo other() {
        return new UsesTwo(this);
    }
}
