package dev.berth.testkit.sim;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.engine.port.Fact;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The cards of the {@link Machine} and what a driver says of them, which is sometimes nothing. It
 * lists an attempt's processes while they live and for a moment after.
 */
final class SimCards {

    static final int COUNT = 4;
    static final String NODE = "sim";

    private static final long TOTAL_MIB = 24_576;
    private static final long UNNAMED_MIB = 12_000;
    private static final long VISITORS_MIB = 3000;
    private static final int LONGEST_LINGER_MILLIS = 150;

    private final Machine machine;
    private final SplittableRandom random;
    private final List<Mood> moods = new ArrayList<>();
    private final SortedMap<AttemptId, Instant> lingering = new TreeMap<>();
    private boolean isSilent;

    /** How a card is at the moment. */
    private enum Mood {
        FREE,
        /** Another user computes there. */
        VISITED,
        MISSING,
        GONE
    }

    SimCards(Machine machine, SplittableRandom random) {
        this.machine = machine;
        this.random = random;
        IntStream.range(0, COUNT).forEach(_ -> moods.add(Mood.FREE));
    }

    /** Something about the cards changes. */
    String change() {
        if (random.nextInt(6) == 0) {
            isSilent = !isSilent;
            return isSilent ? "the driver hangs" : "the driver answers again";
        }
        int index = random.nextInt(COUNT);
        var dice = random.nextInt(10);
        var mood =
                dice < 5
                        ? Mood.FREE
                        : dice < 8 ? Mood.VISITED : dice < 9 ? Mood.MISSING : Mood.GONE;
        moods.set(index, mood);
        return "card " + index + " is " + mood;
    }

    void calmDown() {
        isSilent = false;
        IntStream.range(0, COUNT).forEach(index -> moods.set(index, Mood.FREE));
    }

    /** The machine restarts: nothing is on any card. */
    void reboot() {
        lingering.clear();
    }

    /** The last of an attempt has ended; the driver takes a moment to notice. */
    void died(AttemptId attempt, Instant now) {
        var delay = Duration.ofMillis(random.nextInt(LONGEST_LINGER_MILLIS));
        lingering.putIfAbsent(attempt, now.plus(delay));
    }

    /** Whether the driver would list the attempt on its cards. */
    boolean isShown(AttemptId attempt, Instant now) {
        var folder = machine.folder(attempt);
        boolean isAlive =
                folder.isPresent()
                        && folder.get().go.isPresent()
                        && (folder.get().commandAlive || folder.get().strayAlive);
        return isAlive || now.isBefore(lingering.getOrDefault(attempt, Instant.MIN));
    }

    /** Other attempts than this one that are on the card. */
    List<AttemptId> others(CardId card, AttemptId own, Instant now) {
        return machine.on(card).stream()
                .filter(attempt -> !attempt.equals(own) && isShown(attempt, now))
                .toList();
    }

    boolean isAnswering() {
        return !isSilent;
    }

    Fact.CardsRead read(List<Fact.Departure> departures, Instant now) {
        var why = isSilent ? Optional.of("no answer") : Optional.<String>empty();
        var states =
                IntStream.range(0, COUNT)
                        .mapToObj(
                                index ->
                                        isSilent
                                                ? new CardState.Unknown(card(index), "no answer")
                                                : state(index, now))
                        .toList();
        return new Fact.CardsRead(NODE, states, departures, why);
    }

    private CardState state(int index, Instant now) {
        var card = card(index);
        return switch (moods.get(index)) {
            case MISSING -> new CardState.Unknown(card, "missing");
            case GONE -> new CardState.Failed(card, "gone");
            case FREE -> readable(card, occupants(card, now));
            case VISITED -> {
                var there = new ArrayList<>(occupants(card, now));
                there.add(process(9_000_000L + index, VISITORS_MIB, new Whose.User("eve", false)));
                yield readable(card, there);
            }
        };
    }

    private List<Occupant> occupants(Card card, Instant now) {
        var there = new ArrayList<Occupant>();
        for (var attempt : machine.on(card.id())) {
            if (isShown(attempt, now)) {
                var folder = machine.folder(attempt).orElseThrow();
                long promised =
                        folder.order.attempt().claims().stream()
                                .mapToLong(Claim::mib)
                                .max()
                                .orElse(0);
                there.add(
                        process(
                                folder.go.orElseThrow().process().pid(),
                                promised > 0 ? promised : UNNAMED_MIB,
                                new Whose.Ours(attempt)));
            }
        }
        return there;
    }

    private static Occupant process(long pid, long mib, Whose whose) {
        return new Occupant(
                pid,
                OptionalLong.of(mib),
                Occupant.Kind.COMPUTE,
                "python",
                whose,
                Optional.empty());
    }

    private static CardState readable(Card card, List<Occupant> there) {
        long used =
                Math.min(TOTAL_MIB, there.stream().mapToLong(one -> one.usedMib().orElse(0)).sum());
        return new CardState.Readable(
                card,
                new Reading(
                                OptionalLong.of(used),
                                OptionalLong.of(TOTAL_MIB - used),
                                OptionalInt.of(0),
                                OptionalInt.of(40))
                        .with(Optional.of(there)));
    }

    private static Card card(int index) {
        return new Card(new CardId(NODE, "SIM-" + index), index, "Simulated", TOTAL_MIB);
    }
}
