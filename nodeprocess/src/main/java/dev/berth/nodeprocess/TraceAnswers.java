package dev.berth.nodeprocess;

import dev.berth.node.LocalHomeTraces;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.port.StoreFailure;
import dev.berth.port.recover.HomeTraces;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Answers what a server asks about the directories and processes of tasks when it starts. */
final class TraceAnswers {

    private final Path tasks;

    /** As the server last asked for them, on this connection. */
    private volatile Optional<HomeTraces> traces = Optional.empty();

    TraceAnswers(Path tasks) {
        this.tasks = tasks;
    }

    Reply answer(Query.OfTraces query) throws IOException, StoreFailure {
        return switch (query) {
            case Query.ReadTraces _ -> {
                var found = read();
                yield new Reply.Traces(found.folders(), found.living());
            }
            case Query.AttemptsOf(var task) -> new Reply.Numbers(known().attempts(task));
            case Query.ReadRecord(var id) -> new Reply.Record(known().record(id));
            case Query.IsClosed(var id) -> new Reply.Truth(known().isClosed(id));
            case Query.Close(var id) -> new Reply.Truth(known().close(id));
        };
    }

    /** The traces may have been read from a node that was killed, before this connection. */
    private HomeTraces known() throws IOException {
        var known = traces;
        return known.isPresent() ? known.get() : read();
    }

    private HomeTraces read() throws IOException {
        var found = LocalHomeTraces.readForManyUsers(tasks);
        traces = Optional.of(found);
        return found;
    }
}
