package dev.berth.nodesocket.client;

import dev.berth.core.id.AttemptId;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.port.read.AttemptProcesses;
import dev.berth.port.read.LeftoverProcesses;
import dev.berth.port.read.WorkerHeartbeats;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/** The processes of the node. */
record RemoteProcesses(RemoteNode node)
        implements LeftoverProcesses, AttemptProcesses, WorkerHeartbeats {

    private static final Logger log = LoggerFactory.getLogger(RemoteProcesses.class);

    private static final Duration READ_LIMIT = Duration.ofSeconds(10);

    /** Processes that do not end are killed after a while. */
    private static final Duration END_LIMIT = Duration.ofSeconds(30);

    @Override
    public SortedSet<AttemptId> attempts() throws ProcessTableUnreadable {
        return ask(new Query.LeftoverAttempts(), Reply.Attempts.class, READ_LIMIT).attempts();
    }

    @Override
    public List<LeftoverProcess> of(AttemptId over) throws ProcessTableUnreadable {
        return ask(new Query.LeftoversOf(over), Reply.Leftovers.class, READ_LIMIT).processes();
    }

    @Override
    public List<LeftoverProcess> end(AttemptId over) throws ProcessTableUnreadable {
        return ask(new Query.EndLeftovers(over), Reply.Leftovers.class, END_LIMIT).processes();
    }

    @Override
    public boolean isAlive(long pid) throws ProcessTableUnreadable {
        return ask(new Query.IsAlive(pid), Reply.Truth.class, READ_LIMIT).isTrue();
    }

    @Override
    public Optional<AttemptId> attemptOf(long pid) throws ProcessTableUnreadable {
        return ask(new Query.AttemptOf(pid), Reply.FoundAttempt.class, READ_LIMIT).attempt();
    }

    @Override
    public List<SeenProcess> alive(AttemptId attempt) throws ProcessTableUnreadable {
        return ask(new Query.AliveProcesses(attempt), Reply.Seen.class, READ_LIMIT).processes();
    }

    @Override
    public Optional<SeenProcess> named(long pid) throws ProcessTableUnreadable {
        var query = new Query.NamedProcess(pid);
        return ask(query, Reply.Seen.class, READ_LIMIT).processes().stream().findFirst();
    }

    @Override
    public Optional<Instant> lastHeartbeat(AttemptId worker) {
        try {
            return node.ask(new Query.Heartbeat(worker), Reply.Heartbeat.class, READ_LIMIT).last();
        } catch (IOException away) {
            log.debug("no heartbeat of worker {}", worker, away);
            return Optional.empty();
        }
    }

    private <T extends Reply> T ask(Query query, Class<T> type, Duration timeLimit)
            throws ProcessTableUnreadable {
        try {
            return node.ask(query, type, timeLimit);
        } catch (IOException failure) {
            throw new ProcessTableUnreadable(String.valueOf(failure.getMessage()), failure);
        }
    }
}
