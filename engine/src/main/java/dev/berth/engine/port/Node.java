package dev.berth.engine.port;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A host that runs attempts. Every call returns at once; what came of it is reported as a {@link
 * Fact}, and an order may be given again after a restart without being carried out twice.
 */
public interface Node {

    String name();

    /** Which boot of the host this is. */
    String bootId();

    void launch(Launch order);

    /**
     * Finds out what became of an attempt of an earlier server, and watches it from now on.
     *
     * @param timeLimit counted from the start of its process
     */
    void adopt(Attempt attempt, Optional<Duration> timeLimit);

    /** Whether somebody in a lane waits for a card: the load of the last second then decides. */
    default void lookOften(boolean isOften) {}

    /**
     * Finds out whether a card that was taken out works again; told as {@link Fact.CardTested}, at
     * the latest when it has shown for long enough that it does not.
     */
    default void test(CardId card) {}

    /** Ends every process of the attempt, or makes sure that it never starts. */
    void stop(AttemptId attempt);

    /**
     * What to start.
     *
     * @param cards the claimed ones, by index
     */
    record Launch(Attempt attempt, TaskSpec spec, List<Card> cards, Terms terms) {
        public Launch {
            cards = List.copyOf(cards);
        }
    }

    /**
     * On what terms it starts.
     *
     * @param isForced whatever is on its cards now
     * @param rules that must still hold of its cards
     * @param within what has not come up by then is closed off
     */
    record Terms(boolean isForced, Rules rules, Duration within) {

        /** Those of a task that Berth starts where nothing else is set. */
        public static final Terms USUAL = new Terms(false, Rules.USUAL, Duration.ofMinutes(1));
    }
}
