package dev.berth.nodesocket.client;

import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.nodesocket.message.ToNode;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Questions that the node has not answered yet. */
final class PendingQueries {

    /** A caller beyond this number is refused: the node answers a few at a time. */
    private static final int MAX_PENDING = 1000;

    private final AtomicLong lastNumber = new AtomicLong();
    private final Map<Long, CompletableFuture<Reply>> pending = new ConcurrentHashMap<>();

    /** Sends a message if the node is connected. */
    interface Sender {
        void send(ToNode message) throws NodeAway;
    }

    Reply ask(Query query, Duration timeLimit, Sender sender) throws NodeAway {
        if (pending.size() >= MAX_PENDING) {
            throw new NodeAway("the node is busy: too many questions wait for its answer");
        }
        long number = lastNumber.incrementAndGet();
        var answer = new CompletableFuture<Reply>();
        pending.put(number, answer);
        try {
            sender.send(new ToNode.Ask(number, query));
            return answer.get(timeLimit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException silent) {
            throw new NodeAway("the node did not answer within " + timeLimit.toSeconds() + " s");
        } catch (ExecutionException broken) {
            var cause = broken.getCause();
            throw new NodeAway(cause == null ? "" : String.valueOf(cause.getMessage()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NodeAway("interrupted while waiting for the node");
        } finally {
            pending.remove(number);
        }
    }

    /** An answer after the time limit is ignored. */
    void answered(long number, Reply reply) {
        var waiting = pending.get(number);
        if (waiting != null) {
            waiting.complete(reply);
        }
    }

    void failAll(String why) {
        pending.values().forEach(waiting -> waiting.completeExceptionally(new NodeAway(why)));
    }
}
