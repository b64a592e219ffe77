package dev.berth.engine.port;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Fault;
import dev.berth.core.progress.Progress;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Findings;
import dev.berth.core.task.Run;
import dev.berth.core.task.Said;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a node saw, or the server about itself. A fact is never refused, only found to be old news.
 */
public sealed interface Fact {

    /** The attempt's shim has taken {@code go} and lives. */
    record Started(AttemptId attempt, Run run) implements Fact {}

    /** Another window than was planned, or none, follows its log. */
    record Windowed(AttemptId attempt, Optional<String> window) implements Fact {}

    /** Its own script said how it ended; its processes may still be there. */
    record Spoken(AttemptId attempt, Said said) implements Fact {}

    /** What it prints says how far it has come. */
    record Progressed(AttemptId attempt, Progress progress) implements Fact {}

    /** It has come no further for so long, which is not its way. */
    record Stalled(AttemptId attempt, Duration standing) implements Fact {}

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
    record Ended(
            AttemptId attempt,
            Ending ending,
            List<Leftover> leftovers,
            boolean isOffItsCards,
            Findings findings)
            implements Fact {
        public Ended {
            leftovers = List.copyOf(leftovers);
        }

        /** Of an attempt about which nothing more was found out. */
        public Ended(
                AttemptId attempt, Ending ending, List<Leftover> leftovers, boolean isOffItsCards) {
            this(attempt, ending, leftovers, isOffItsCards, Findings.NONE);
        }

        /** Of an attempt that is off its cards. */
        public Ended(AttemptId attempt, Ending ending, List<Leftover> leftovers) {
            this(attempt, ending, leftovers, true, Findings.NONE);
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

    /** The hardware of a card gave a sign that it is not to be trusted; it is still listed. */
    record CardSick(CardId card, Fault.Kind kind, String why) implements Fact {}

    /**
     * What came of a test.
     *
     * @param failure why it did not pass, if so
     */
    record CardTested(CardId card, Optional<String> failure) implements Fact {}

    /** Nothing reaches this receiver of messages. */
    record Undelivered(String receiver, String why) implements Fact {}

    record DiskSpace(String node, boolean low, long freeMib) implements Fact {}

    /** A process that outlived its attempt's command. */
    record Leftover(long pid, String program, boolean ended) {}
}
