package dev.berth.nodesocket.client;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.GpuConsumption;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.port.read.ConsumptionReader;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The GPU use of running attempts. All are asked for together and kept for a moment: a list of
 * tasks shows one for each.
 */
final class RemoteConsumptions implements ConsumptionReader {

    private static final Logger log = LoggerFactory.getLogger(RemoteConsumptions.class);
    private static final Duration KEEP_TIME = Duration.ofSeconds(1);
    private static final Duration TIME_LIMIT = Duration.ofSeconds(5);

    private final RemoteNode node;
    private volatile Known known = new Known(new TreeMap<>(), Long.MIN_VALUE);

    private record Known(SortedMap<AttemptId, GpuConsumption> byAttempt, long until) {}

    RemoteConsumptions(RemoteNode node) {
        this.node = node;
    }

    @Override
    public Optional<GpuConsumption> of(AttemptId attempt) {
        var latest = known;
        if (latest.until() == Long.MIN_VALUE || System.nanoTime() - latest.until() > 0) {
            latest = read();
            known = latest;
        }
        return Optional.ofNullable(latest.byAttempt().get(attempt));
    }

    private Known read() {
        long until = System.nanoTime() + KEEP_TIME.toNanos();
        try {
            var query = new Query.Consumptions(node.openAttempts());
            var reply = node.ask(query, Reply.Consumptions.class, TIME_LIMIT);
            return new Known(reply.byAttempt(), until);
        } catch (IOException away) {
            log.debug("the GPU use of tasks is not known", away);
            return new Known(new TreeMap<>(), until);
        }
    }
}
