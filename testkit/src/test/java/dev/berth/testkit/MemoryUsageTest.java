package dev.berth.testkit;

import dev.berth.engine.port.TaskQueries;
import dev.berth.engine.port.TaskStore;

class MemoryUsageTest extends UsageContract {

    private final MemoryStore home = new MemoryStore();

    @Override
    protected TaskStore anotherServer() {
        return home.another();
    }

    @Override
    protected TaskQueries queries() {
        return home;
    }
}
