package dev.berth.node.card;

import java.util.List;

/** A way to ask for the cards of this host. */
interface CardProbe extends AutoCloseable {

    /** Asks now; may take long, and may never return where the driver hangs. */
    List<CardRow> read() throws ProbeFailure;

    /** Whether it answers at once and cannot fail, because it asks nobody. */
    boolean isImmediate();

    /** Who is asked for the cards' health, on another thread than this one. */
    default HealthProbe health() {
        return HealthProbe.NONE;
    }

    /** Tells of errors that the driver reports by itself from now on, if it does. */
    default void listen(XidEar ear) {}

    /** What is asked, for people. */
    String name();

    @Override
    void close();
}
