package dev.berth.node.card;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is known of the cards after each answer, and what no longer is. Told the time in nanoseconds
 * of a clock that only goes forward; reads none itself.
 */
final class CardBook {

    /** A state that old says nothing about now. */
    static final Duration FRESH = Duration.ofSeconds(2);

    /** Longer than a slow driver takes for an answer. */
    static final Duration SILENT = Duration.ofSeconds(6);

    /** A card that is missing for so long, in so many answers that list others, is in error. */
    static final Duration MISSING = Duration.ofSeconds(3);

    static final int MISSING_ANSWERS = 3;

    private static final Duration MEAN_OVER = Duration.ofSeconds(1);
    private static final String ABSENT = "missing from the latest readings";
    private static final String GONE = "the driver no longer lists it";

    private final String node;
    private final SortedMap<String, Page> pages = new TreeMap<>();
    private Optional<String> trouble = Optional.empty();
    private long answeredAt;

    /** One card. */
    private static final class Page {
        private CardState state;
        private final Deque<Sample> samples = new ArrayDeque<>();
        private long seenAt;
        private int missed;
        private long missedSince;

        private Page(CardState state) {
            this.state = state;
        }
    }

    private record Sample(long at, int percent) {}

    CardBook(String node, long now) {
        this.node = node;
        this.answeredAt = now;
    }

    /** By index. */
    List<CardState> states() {
        return pages.values().stream()
                .map(page -> page.state)
                .sorted(
                        Comparator.comparingInt((CardState state) -> state.card().index())
                                .thenComparing(state -> state.card().id()))
                .toList();
    }

    /** Why no card can be read, if so. */
    Optional<String> trouble() {
        return trouble;
    }

    Optional<CardState> state(CardId card) {
        return Optional.ofNullable(pages.get(card.uuid())).map(page -> page.state);
    }

    /** Whether a card is known to carry a process of this attempt. */
    boolean shows(AttemptId attempt) {
        var ours = new Whose.Ours(attempt);
        for (var page : pages.values()) {
            if (page.state instanceof CardState.Readable(_, Reading reading)
                    && reading.occupants().orElse(List.of()).stream()
                            .anyMatch(one -> one.whose().equals(ours))) {
                return true;
            }
        }
        return false;
    }

    /** The probe said this. */
    void answered(List<CardRow> rows, long now) {
        var doubt = doubt(rows);
        if (doubt.isPresent()) {
            failed(doubt.get(), now);
            return;
        }
        trouble = Optional.empty();
        answeredAt = now;
        var listed = new HashSet<String>();
        for (var row : rows) {
            listed.add(row.uuid());
            see(row, now);
        }
        pages.forEach(
                (uuid, page) -> {
                    if (!listed.contains(uuid)) {
                        var card = page.state.card();
                        miss(page, new CardState.Unknown(card, ABSENT), GONE, now);
                    }
                });
    }

    private Optional<String> doubt(List<CardRow> rows) {
        if (rows.isEmpty() && !pages.isEmpty()) {
            return Optional.of("the driver lists no GPU any more");
        }
        var uuids = new HashSet<String>();
        var indices = new HashSet<Integer>();
        for (var row : rows) {
            if (!uuids.add(row.uuid()) || !indices.add(row.index())) {
                return Optional.of("the driver lists GPU " + row.index() + " twice");
            }
        }
        return Optional.empty();
    }

    /** The probe failed, or said something that cannot be. */
    void failed(String why, long now) {
        trouble = Optional.of(why);
        answeredAt = now;
        forget(why);
    }

    private void forget(String why) {
        for (var page : pages.values()) {
            if (!(page.state instanceof CardState.Failed)) {
                page.state = new CardState.Unknown(page.state.card(), why);
            }
        }
    }

    /**
     * Time went by while the probe was asked and said nothing. What is no longer fresh is unknown;
     * only a probe that stays silent is a trouble, since some are merely slow.
     */
    void waited(String probe, long now) {
        if (trouble.isPresent()) {
            return;
        }
        long silent = now - answeredAt;
        if (silent >= SILENT.toNanos()) {
            failed("no answer from " + probe + " for " + SILENT.toSeconds() + " s", answeredAt);
        } else if (silent >= FRESH.toNanos()) {
            forget("no answer from " + probe + " for " + FRESH.toSeconds() + " s");
        }
    }

    private void see(CardRow row, long now) {
        var before = Optional.ofNullable(pages.get(row.uuid()));
        long total =
                row.totalMib().orElse(before.map(page -> page.state.card().totalMib()).orElse(0L));
        var model =
                before.filter(_ -> row.trouble().isPresent())
                        .map(page -> page.state.card().model())
                        .orElse(row.model());
        var card = new Card(new CardId(node, row.uuid()), row.index(), model, total);
        var page = before.orElseGet(() -> new Page(new CardState.Unknown(card, "")));
        pages.put(row.uuid(), page);
        if (row.trouble().isPresent()) {
            listInVain(page, card, row, now);
            return;
        }
        page.state = state(row, card, mean(page, row.reading(), now));
        page.seenAt = now;
        page.missed = 0;
    }

    /** It is there and does not answer. One that the driver calls lost is as good as missing. */
    private static void listInVain(Page page, Card card, CardRow row, long now) {
        var why = "the driver cannot read it: " + row.trouble().orElseThrow();
        if (row.isLost()) {
            miss(page, new CardState.Unknown(card, why), why, now);
            return;
        }
        page.missed = 0;
        page.samples.clear();
        if (!(page.state instanceof CardState.Readable) || now - page.seenAt >= FRESH.toNanos()) {
            page.state = new CardState.Unknown(card, why);
        }
    }

    private static CardState state(CardRow row, Card card, OptionalInt mean) {
        if (row.isSplit()) {
            return new CardState.Unknown(
                    card, "it is split into instances (MIG), which Berth cannot give out yet");
        }
        if (card.totalMib() == 0) {
            return new CardState.Unknown(card, "the driver does not say how much memory it has");
        }
        var said = row.reading();
        return new CardState.Readable(
                card,
                new Reading(
                        said.usedMib(),
                        said.freeMib(),
                        said.utilizationPercent(),
                        said.temperatureC(),
                        mean,
                        said.occupants()));
    }

    private static OptionalInt mean(Page page, Reading reading, long now) {
        reading.utilizationPercent()
                .ifPresent(percent -> page.samples.addLast(new Sample(now, percent)));
        while (!page.samples.isEmpty()
                && now - page.samples.getFirst().at() >= MEAN_OVER.toNanos()) {
            page.samples.removeFirst();
        }
        var mean = page.samples.stream().mapToInt(Sample::percent).average();
        return mean.isPresent()
                ? OptionalInt.of((int) Math.round(mean.getAsDouble()))
                : OptionalInt.empty();
    }

    /**
     * @param doubt what it is when it has been missed for a moment
     * @param gone why it is in error when that goes on
     */
    private static void miss(Page page, CardState.Unknown doubt, String gone, long now) {
        if (page.missed == 0) {
            page.missedSince = now;
        }
        page.missed++;
        page.samples.clear();
        if (page.missed >= MISSING_ANSWERS && now - page.missedSince >= MISSING.toNanos()) {
            page.state = new CardState.Failed(doubt.card(), gone);
        } else if (page.state instanceof CardState.Unknown
                || (page.state instanceof CardState.Readable
                        && now - page.seenAt >= FRESH.toNanos())) {
            page.state = doubt;
        }
    }

    /** Indices of the cards that can be seen. */
    List<Integer> indices() {
        var indices = new ArrayList<Integer>();
        states().forEach(state -> indices.add(state.card().index()));
        return indices;
    }
}
