package dev.berth.node.card;

import dev.berth.core.card.CardState;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Consumption;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the attempts that are here make of their cards, reading by reading, each from the first time
 * it is seen on one. A reading counts until the next, or until the attempt has ended. Reads no
 * clock.
 */
final class Tallies {

    /** What a server that is killed may lose of it. */
    static final Duration KEPT_EVERY = Duration.ofSeconds(10);

    /** Nobody knows how it looked for longer than a slow driver takes for an answer. */
    private static final Duration MOST = CardBook.SILENT;

    private static final double SECOND = 1e9;

    private final Holders holders;
    private final SortedMap<AttemptId, Page> pages = new TreeMap<>();

    private static final class Page {
        private Tally tally;
        private Optional<Sight> last = Optional.empty();
        private long at;
        private long keptAt;

        private Page(Tally tally, long now) {
            this.tally = tally;
            this.at = now;
            this.keptAt = now;
        }

        private Tally upTo(long now) {
            double seconds = Math.min(now - at, MOST.toNanos()) / SECOND;
            return last.map(sight -> tally.plus(sight, seconds)).orElse(tally);
        }
    }

    Tallies(Holders holders) {
        this.holders = holders;
    }

    /** An earlier server has seen so much of it. */
    void resume(AttemptId attempt, Tally earlier, long now) {
        pages.put(attempt, new Page(earlier, now));
    }

    void read(List<CardState> cards, long now) {
        var all = holders.now();
        for (var holder : all) {
            if (!holder.claims().isEmpty()) {
                take(holder.attempt(), Sight.of(holder, all, cards), now);
            }
        }
    }

    private void take(AttemptId attempt, Sight sight, long now) {
        var before = Optional.ofNullable(pages.get(attempt));
        if (before.isEmpty() && !sight.isThere()) {
            return;
        }
        var page = before.orElseGet(() -> new Page(Tally.NONE, now));
        page.tally = page.upTo(now);
        page.last = Optional.of(sight);
        page.at = now;
        pages.put(attempt, page);
    }

    Optional<Consumption> of(AttemptId attempt, long now) {
        return Optional.ofNullable(pages.get(attempt))
                .flatMap(page -> page.upTo(now).consumption());
    }

    void forget(AttemptId attempt) {
        pages.remove(attempt);
    }

    /** Those that have not been kept for so long; they are from now on. */
    SortedMap<AttemptId, Tally> due(Duration age, long now) {
        var due = new TreeMap<AttemptId, Tally>();
        pages.forEach(
                (attempt, page) -> {
                    if (now - page.keptAt >= age.toNanos()) {
                        page.keptAt = now;
                        due.put(attempt, page.upTo(now));
                    }
                });
        return due;
    }
}
