package dev.berth.server.offenders;

import java.lang.foreign.Linker;

/** Offends by foreign functions outside the node. */
public record CallsForeignFunctions(Linker linker) {}
