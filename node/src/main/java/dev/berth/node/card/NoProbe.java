package dev.berth.node.card;

import java.util.List;
import java.util.Optional;

/**
 * Nobody to ask.
 *
 * @param why there should be somebody and is not
 */
record NoProbe(Optional<String> why) implements CardProbe {

    @Override
    public List<CardRow> read() throws ProbeFailure {
        if (why.isPresent()) {
            throw new ProbeFailure(why.get());
        }
        return List.of();
    }

    @Override
    public boolean isImmediate() {
        return why.isEmpty();
    }

    @Override
    public String name() {
        return "none";
    }

    @Override
    public void close() {}
}
