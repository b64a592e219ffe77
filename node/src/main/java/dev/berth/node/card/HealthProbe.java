package dev.berth.node.card;

import java.util.List;

/** Asks for the cards' health, beside the one who reads the cards and never in his way. */
interface HealthProbe {

    /** Nobody is asked, and nobody complains. */
    HealthProbe NONE = List::of;

    /** May take long, and may never return where the driver hangs. */
    List<Health> read() throws ProbeFailure;

    default void close() {}
}
