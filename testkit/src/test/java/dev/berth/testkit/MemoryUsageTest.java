package dev.berth.testkit;

import dev.berth.port.TaskStore;
import dev.berth.port.read.TaskQueries;

class MemoryUsageTest extends UsageContract {

    private final MemoryStore home = new MemoryStore();

    @Override
    protected TaskStore nextServerStore() {
        return home.forAnotherServer();
    }

    @Override
    protected TaskQueries queries() {
        return home;
    }
}
