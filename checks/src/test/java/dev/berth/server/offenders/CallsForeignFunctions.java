package dev.berth.server.offenders;

import java.lang.foreign.Linker;

/** Uses foreign functions outside node. */
public record CallsForeignFunctions(Linker linker) {}
