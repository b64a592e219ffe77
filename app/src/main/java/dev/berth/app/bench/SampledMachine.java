package dev.berth.app.bench;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseMove;
import dev.berth.core.task.TaskId;
import dev.berth.engine.State;
import dev.berth.engine.port.Change;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;

/**
 * States of a machine whose cards each run a task of some hours, one after the other. Loads jump
 * about from second to second as in training, memory wavers, temperature follows slowly.
 */
final class SampledMachine {

    static final int CARDS = 64;

    private static final long TOTAL_MIB = 81_559;
    private static final long CONTEXT_MIB = 520;

    /** Each second shows one of these, so that no two minutes are alike. */
    private static final int STATES = 120;

    private static final int HOUR = 60;
    private static final int TASK_HOURS = 6;

    private final Random random = new Random(CARDS);
    private final List<State> states = new ArrayList<>();
    private final List<Attempt> running = new ArrayList<>();
    private State held;
    private long lastTask;

    SampledMachine(State empty) {
        held = empty;
        for (int index = 0; index < CARDS; index++) {
            running.add(attempt(index, Instant.EPOCH));
            held = held.apply(new Change.AttemptSaved(running.get(index)));
        }
    }

    static CardId card(int index) {
        return new CardId("here", "GPU-%08x-bench".formatted(index));
    }

    long tasks() {
        return lastTask;
    }

    /** Tasks end and begin on the hour. */
    void minute(int minute, Instant now) {
        if (minute % HOUR != 0) {
            return;
        }
        for (int index = 0; index < CARDS; index++) {
            if ((minute / HOUR + index) % TASK_HOURS == 0) {
                var over = new PhaseMove.End(new Ending.Exited(0), now);
                held = held.apply(new Change.AttemptSaved(running.get(index).after(over)));
                running.set(index, attempt(index, now));
                held = held.apply(new Change.AttemptSaved(running.get(index)));
            }
        }
        states.clear();
        for (int i = 0; i < STATES; i++) {
            states.add(read());
        }
    }

    State second() {
        return states.get(random.nextInt(STATES));
    }

    private Attempt attempt(int index, Instant now) {
        return new Attempt(
                new AttemptId(new TaskId(++lastTask), 1),
                "here",
                1,
                "boot",
                List.of(new Claim(card(index), 0, true)),
                now,
                new Phase.Starting());
    }

    private State read() {
        var state = held;
        for (int index = 0; index < CARDS; index++) {
            var card = new Card(card(index), index, "bench", TOTAL_MIB);
            long base = 10_000 + lastTask * 7919 % 60_000;
            state = state.with(new CardState.Readable(card, reading(base, running.get(index))));
        }
        return state;
    }

    private Reading reading(long base, Attempt attempt) {
        long used = base + random.nextInt(800);
        int percent = random.nextInt(8) == 0 ? random.nextInt(101) : 90 + random.nextInt(11);
        var process =
                new Occupant(
                        4711,
                        OptionalLong.of(used - CONTEXT_MIB),
                        Occupant.Kind.COMPUTE,
                        "python",
                        new Whose.Ours(attempt.id()),
                        Optional.empty());
        return new Reading(
                OptionalLong.of(used),
                OptionalLong.of(TOTAL_MIB - used),
                OptionalInt.of(percent),
                OptionalInt.of(60 + random.nextInt(6)),
                OptionalInt.of(percent),
                Optional.of(List.of(process)));
    }
}
