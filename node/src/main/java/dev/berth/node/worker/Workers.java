package dev.berth.node.worker;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.Node;
import dev.berth.port.read.WorkerHeartbeats;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The workers of this node. */
public final class Workers implements WorkerHeartbeats, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Workers.class);

    private final ChannelContext context;
    private final Set<AttemptId> launched = ConcurrentHashMap.newKeySet();
    private final Map<AttemptId, WorkerChannel> channels = new ConcurrentHashMap<>();

    /** Calls of workers that have not started yet. */
    private final Map<AttemptId, Node.Call> early = new ConcurrentHashMap<>();

    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(
                    1,
                    Thread.ofPlatform().daemon().name("worker-timer").factory(),
                    // At the end of the server.
                    new ThreadPoolExecutor.DiscardPolicy());

    public Workers(
            WorkerSettings settings,
            WorkerFiles files,
            Consumer<Fact> facts,
            CallUses uses,
            Failpoints failpoints) {
        this.context = new ChannelContext(settings, facts, files, timer, uses, failpoints);
        // Most tasks end long before their time limit.
        timer.setRemoveOnCancelPolicy(true);
        var _ = timer.scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    /** An exception would end the timer. */
    private void tick() {
        for (var channel : channels.values()) {
            try {
                channel.tick();
            } catch (RuntimeException defect) {
                log.error("the time of a worker could not be checked", defect);
            }
        }
    }

    public void launched(Attempt attempt) {
        if (attempt.isWorker()) {
            launched.add(attempt.id());
        }
    }

    /** Before the engine gets the fact. */
    public void observe(Fact fact) {
        switch (fact) {
            case Fact.Started(AttemptId id, ShimProcess process) when launched.contains(id) ->
                    open(id, process);
            case Fact.Ended ended when launched.remove(ended.attempt()) -> {
                early.remove(ended.attempt());
                Optional.ofNullable(channels.remove(ended.attempt()))
                        .ifPresent(WorkerChannel::close);
            }
            default -> {}
        }
    }

    private void open(AttemptId id, ShimProcess process) {
        var link = new WorkerLink(id, new WorkerPipes(context.files().directory(id).path()));
        var channel = new WorkerChannel(id, process, link, context);
        if (channels.putIfAbsent(id, channel) == null) {
            channel.open();
            Optional.ofNullable(early.remove(id)).ifPresent(channel::call);
        }
    }

    public void call(Node.Call order) {
        early.put(order.worker(), order);
        var channel = channels.get(order.worker());
        if (channel != null && early.remove(order.worker(), order)) {
            channel.call(order);
        }
    }

    /** False if no worker has this attempt. */
    public boolean cancel(AttemptId attempt) {
        for (var waiting : early.values()) {
            if (waiting.attempt().equals(attempt) && early.remove(waiting.worker(), waiting)) {
                context.facts()
                        .accept(
                                new Fact.CallEnded(
                                        attempt, new Ending.NeverStarted(), Optional.empty()));
                return true;
            }
        }
        return channels.values().stream().anyMatch(channel -> channel.cancel(attempt));
    }

    @Override
    public Optional<Instant> lastHeartbeat(AttemptId worker) {
        return Optional.ofNullable(channels.get(worker)).map(WorkerChannel::heardAt);
    }

    /** The workers read the end of their input, and end. */
    @Override
    public void close() {
        timer.shutdownNow();
        channels.values().forEach(WorkerChannel::close);
    }
}
