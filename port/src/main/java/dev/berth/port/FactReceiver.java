package dev.berth.port;

import java.util.List;
import java.util.function.Consumer;

/** Takes the facts that a node reports. */
@FunctionalInterface
public interface FactReceiver extends Consumer<Fact> {

    /**
     * Takes facts that are stored together.
     *
     * @param stored is called once they are durable, if the receiver learns that; it must not block
     */
    default void accept(List<Fact> facts, Runnable stored) {
        facts.forEach(this);
    }
}
