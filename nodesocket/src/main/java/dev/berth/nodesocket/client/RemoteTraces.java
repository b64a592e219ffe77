package dev.berth.nodesocket.client;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.port.StoreFailure;
import dev.berth.port.recover.AttemptRecord;
import dev.berth.port.recover.HomeTraces;
import dev.berth.port.recover.LivingAttempt;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;

/**
 * The directories and processes of tasks, as the node found them. A server that starts reads them:
 * a node that is restarted meanwhile is asked again.
 */
record RemoteTraces(RemoteNode node, List<Long> folders, SortedMap<AttemptId, LivingAttempt> living)
        implements HomeTraces {

    /** Longer than a node needs to start and to list the processes of a machine. */
    private static final Duration TIME_LIMIT = Duration.ofMinutes(1);

    static RemoteTraces read(RemoteNode node) throws IOException {
        var found = node.askRepeatedly(new Query.ReadTraces(), Reply.Traces.class, TIME_LIMIT);
        return new RemoteTraces(node, found.folders(), found.living());
    }

    @Override
    public List<Integer> attempts(TaskId task) throws StoreFailure {
        return ask(new Query.AttemptsOf(task), Reply.Numbers.class).numbers();
    }

    @Override
    public AttemptRecord record(AttemptId id) throws StoreFailure {
        return ask(new Query.ReadRecord(id), Reply.Record.class).attempt();
    }

    @Override
    public boolean isClosed(AttemptId id) throws StoreFailure {
        return ask(new Query.IsClosed(id), Reply.Truth.class).isTrue();
    }

    @Override
    public boolean close(AttemptId id) throws StoreFailure {
        return ask(new Query.Close(id), Reply.Truth.class).isTrue();
    }

    private <T extends Reply> T ask(Query query, Class<T> type) throws StoreFailure {
        try {
            return node.askRepeatedly(query, type, TIME_LIMIT);
        } catch (IOException failure) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE,
                    "the task directories cannot be read: " + failure.getMessage(),
                    failure);
        }
    }
}
