package dev.berth.testkit;

import dev.berth.port.read.SampleHistory;

class MemoryHistoryTest extends HistoryContract {

    private final SampleHistory history = new MemoryHistory();

    @Override
    protected SampleHistory history() {
        return history;
    }
}
