package dev.berth.engine;

import dev.berth.core.task.Owner;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.NodeAlert;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Passes on alerts about the machine that the store cannot take, each once, and raises one itself
 * when the store fails for longer. Only the engine's thread uses it, apart from the receiver.
 */
final class UnstoredAlerts {

    /** A failure this short is not worth an alert. */
    private static final Duration TOLERATED = Duration.ofSeconds(5);

    /** The store works again if no commit failed for this time. */
    private static final Duration QUIET = Duration.ofSeconds(30);

    private final Set<String> sent = new HashSet<>();
    private volatile Consumer<Event> receiver = _ -> {};
    private @Nullable Instant firstFailure;
    private Instant lastFailure = Instant.MIN;
    private Optional<String> reported = Optional.empty();

    /** It must not block. */
    void sendTo(Consumer<Event> other) {
        receiver = other;
    }

    /**
     * @param changes what could not be stored
     * @param isDiskLow this alert explains the failure already
     */
    void failed(List<Change> changes, StoreFailure why, Instant at, boolean isDiskLow) {
        for (var change : changes) {
            if (change instanceof Change.EventAdded(Event event)
                    && event.payload() instanceof NodeAlert
                    && sent.add(event.kind())) {
                receiver.accept(event);
            }
        }
        firstFailure = firstFailure == null ? at : firstFailure;
        lastFailure = at;
        boolean isExplained = isDiskLow || !sent.isEmpty();
        if (reported.isEmpty()
                && !isExplained
                && why.kind() != StoreFailure.Kind.FENCED
                && !firstFailure.plus(TOLERATED).isAfter(at)) {
            reported = Optional.ofNullable(why.getMessage());
            var alert = new NodeAlert.StoreUnwritable(reported.orElse(""));
            receiver.accept(
                    new Event(0, at, Owner.BERTH, Optional.empty(), Optional.empty(), alert));
        }
    }

    /** A commit succeeded; returns what is to be recorded if the store works for good again. */
    Optional<Fact> committed(Instant at) {
        sent.clear();
        if (firstFailure == null || lastFailure.plus(QUIET).isAfter(at)) {
            return Optional.empty();
        }
        var since = firstFailure;
        firstFailure = null;
        var fact =
                reported.<Fact>map(
                        why -> new Fact.StoreRecovered(why, Duration.between(since, lastFailure)));
        reported = Optional.empty();
        return fact;
    }

    /** When {@link #committed} has to be asked again, if so. */
    Optional<Instant> due() {
        return reported.map(_ -> lastFailure.plus(QUIET));
    }
}
