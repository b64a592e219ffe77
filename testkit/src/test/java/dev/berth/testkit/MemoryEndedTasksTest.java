package dev.berth.testkit;

import dev.berth.port.TaskStore;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.TaskQueries;

class MemoryEndedTasksTest extends EndedTasksContract {

    private final MemoryStore home = new MemoryStore();

    @Override
    protected TaskStore nextServerStore() {
        return home.forAnotherServer();
    }

    @Override
    protected TaskQueries queries() {
        return home;
    }

    @Override
    protected EndedTasks endedTasks() {
        return home;
    }
}
