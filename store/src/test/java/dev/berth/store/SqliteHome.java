package dev.berth.store;

import dev.berth.engine.port.StoreFailure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A database, its readers and any number of servers on it, one after the other. */
final class SqliteHome implements AutoCloseable {

    private final Database database;
    private final SqliteTaskQueries queries;
    private final List<SqliteTaskStore> servers = new ArrayList<>();

    SqliteHome(Path home) throws HomeRefused, StoreFailure {
        database = Database.at(home.resolve("runtime/tasks.db"));
        queries = new SqliteTaskQueries(database);
    }

    SqliteTaskStore anotherServer() {
        var server = new SqliteTaskStore(database);
        servers.add(server);
        return server;
    }

    SqliteTaskQueries queries() {
        return queries;
    }

    @Override
    public void close() {
        servers.forEach(SqliteTaskStore::close);
        queries.close();
    }
}
