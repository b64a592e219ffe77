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

/**
 * Passes on alerts about the machine that the store cannot take, each once, and raises one itself
 * when the store fails for longer. Only the engine's thread uses it, apart from the listener.
 */
final class UnstoredAlerts {

    /** A failure this short is not worth an alert. */
    private static final Duration TOLERATED = Duration.ofSeconds(5);

    /** The store works again if no commit failed for this time. */
    private static final Duration QUIET = Duration.ofSeconds(30);

    private final Set<String> sent = new HashSet<>();
    private volatile @Nullable UnstoredAlertListener listener;
    private @Nullable Instant firstFailure;
    private Instant lastFailure = Instant.MIN;
    private Optional<String> reported = Optional.empty();

    void sendTo(UnstoredAlertListener other) {
        listener = other;
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
                passOn(event);
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
            passOn(new Event(0, at, Owner.BERTH, Optional.empty(), Optional.empty(), alert));
        }
    }

    private void passOn(Event alert) {
        var present = listener;
        if (present != null) {
            present.unstored(alert);
        }
    }

    /** These changes are stored, but not published yet. The alerts that failed are among them. */
    void stored(List<Change> changes) {
        var present = listener;
        if (present != null && !sent.isEmpty()) {
            for (var change : changes) {
                if (change instanceof Change.EventAdded(Event event)
                        && sent.contains(event.kind())) {
                    present.stored(event);
                }
            }
        }
        sent.clear();
    }

    /** A commit succeeded; returns what is to be recorded if the store works for good again. */
    Optional<Fact> committed(Instant at) {
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
