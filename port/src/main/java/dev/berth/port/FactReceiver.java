package dev.berth.port;

import java.util.function.Consumer;

/** Takes the facts that a node reports. */
@FunctionalInterface
public interface FactReceiver extends Consumer<Fact> {

    /**
     * Takes a fact.
     *
     * @param stored is called once the fact is durable, if the receiver learns that; it must not
     *     block
     */
    default void accept(Fact fact, Runnable stored) {
        accept(fact);
    }
}
