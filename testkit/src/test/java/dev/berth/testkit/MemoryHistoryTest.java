package dev.berth.testkit;

import dev.berth.engine.port.History;

class MemoryHistoryTest extends HistoryContract {

    private final History history = new MemoryHistory();

    @Override
    protected History history() {
        return history;
    }
}
