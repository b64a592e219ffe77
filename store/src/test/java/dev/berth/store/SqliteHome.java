package dev.berth.store;

import dev.berth.port.StoreFailure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A database, its queries, and stores for successive servers. */
final class SqliteHome implements AutoCloseable {

    private final Database database;
    private final SqliteTaskQueries queries;
    private final List<SqliteTaskStore> servers = new ArrayList<>();

    SqliteHome(Path home) throws HomeRefused, StoreFailure {
        database = Database.open(home.resolve("runtime/tasks.db"));
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
