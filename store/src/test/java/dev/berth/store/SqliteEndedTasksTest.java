package dev.berth.store;

import dev.berth.port.TaskStore;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.TaskQueries;
import dev.berth.testkit.EndedTasksContract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class SqliteEndedTasksTest extends EndedTasksContract {

    private SqliteHome home;

    @BeforeEach
    void makeHome(@TempDir Path folder) throws Exception {
        home = new SqliteHome(folder);
    }

    @AfterEach
    void close() {
        home.close();
    }

    @Override
    protected TaskStore nextServerStore() {
        return home.anotherServer();
    }

    @Override
    protected TaskQueries queries() {
        return home.queries();
    }

    @Override
    protected EndedTasks endedTasks() {
        return home.queries().endedTasks();
    }
}
