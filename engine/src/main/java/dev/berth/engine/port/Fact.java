package dev.berth.engine.port;

import dev.berth.core.card.CardState;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Run;
import dev.berth.core.task.Said;

import java.util.List;
import java.util.Optional;

/** What a node saw. A fact is never refused, only found to be old news. */
public sealed interface Fact {

    /** The attempt's shim has taken {@code go} and lives. */
    record Started(AttemptId attempt, Run run) implements Fact {}

    /** Another window than was planned, or none, follows its log. */
    record Windowed(AttemptId attempt, Optional<String> window) implements Fact {}

    /** Its own script said how it ended; its processes may still be there. */
    record Spoken(AttemptId attempt, Said said) implements Fact {}

    /** It has lived for as long as its task may run. */
    record TimeUp(AttemptId attempt) implements Fact {}

    /** An attempt of an earlier server lives on, and is watched again. */
    record Adopted(AttemptId attempt, Run run) implements Fact {}

    /** It has been taken up and is being ended or swept; its end will be reported. */
    record Sweeping(AttemptId attempt) implements Fact {}

    /** Berth cannot tell what became of it. */
    record LostSight(AttemptId attempt, String why) implements Fact {}

    /** Something of it outlived KILL. */
    record Stuck(AttemptId attempt, String what) implements Fact {}

    /**
     * Nothing of it is left.
     *
     * @param leftovers processes it left behind that were ended, and tmux servers that were left
     *     alone
     * @param isOffItsCards its cards were seen to be empty of it; otherwise a {@link CardsRead}
     *     will tell when they are
     */
    record Ended(AttemptId attempt, Ending ending, List<Leftover> leftovers, boolean isOffItsCards)
            implements Fact {
        public Ended {
            leftovers = List.copyOf(leftovers);
        }

        /** Of an attempt that is off its cards. */
        public Ended(AttemptId attempt, Ending ending, List<Leftover> leftovers) {
            this(attempt, ending, leftovers, true);
        }
    }

    /**
     * The node's cards as they are now; those it names no more can not be read.
     *
     * @param departures ended attempts that are off their cards by this reading, which was begun
     *     after their end
     * @param trouble why none of the cards can be read, if so
     */
    record CardsRead(
            String node,
            List<CardState> cards,
            List<Departure> departures,
            Optional<String> trouble)
            implements Fact {
        public CardsRead {
            cards = List.copyOf(cards);
            departures = List.copyOf(departures);
        }

        public CardsRead(String node, List<CardState> cards) {
            this(node, cards, List.of(), Optional.empty());
        }
    }

    /**
     * @param isProven the driver's list of processes shows that it is gone; otherwise that could
     *     not be seen, and the node has stopped waiting for it
     */
    record Departure(AttemptId attempt, boolean isProven) {}

    record DiskSpace(String node, boolean low, long freeMib) implements Fact {}

    /** A process that outlived its attempt's command. */
    record Leftover(long pid, String program, boolean ended) {}
}
