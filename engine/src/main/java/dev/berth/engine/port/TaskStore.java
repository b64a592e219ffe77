package dev.berth.engine.port;

import dev.berth.core.access.Token;
import dev.berth.core.card.Card;
import dev.berth.core.card.Fault;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.line.Usage;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** The durable truth. Used by the engine's thread alone. */
public interface TaskStore {

    /**
     * Makes this opening the only one that may write, and reads what the engine keeps in memory.
     *
     * @return every task that is not finished, every attempt that is not ended, every card ever
     *     seen, every token, what everybody has had of the cards
     */
    Loaded open() throws StoreFailure;

    /** Keeps all of these or none, durably: when it returns they survive a loss of power. */
    void commit(List<Change> changes) throws StoreFailure;

    /**
     * @param epoch grows with each opening; a writer with an older one is refused
     * @param runs command files that are being run
     * @param lastRun the highest number ever given to one; 0 where there was none
     * @param faults cards that are out of use
     * @param estimates what models were found to need, in MiB
     * @param lastTask the highest id ever given, finished tasks included
     * @param lastCreatedAt of any task ever; absent in a new home
     */
    record Loaded(
            long epoch,
            List<Task> tasks,
            List<Attempt> attempts,
            List<Card> cards,
            SortedMap<SubmitKey, KeyUse> keys,
            List<Token> tokens,
            SortedMap<String, Usage.Account> usage,
            Scheduler scheduler,
            List<LaneRun> runs,
            long lastRun,
            List<Fault> faults,
            SortedMap<String, Long> estimates,
            Optional<TaskId> lastTask,
            Optional<Instant> lastCreatedAt,
            long lastSeq) {

        public Loaded {
            tasks = List.copyOf(tasks);
            attempts = List.copyOf(attempts);
            cards = List.copyOf(cards);
            tokens = List.copyOf(tokens);
            runs = List.copyOf(runs);
            faults = List.copyOf(faults);
            estimates =
                    java.util.Collections.unmodifiableSortedMap(
                            new java.util.TreeMap<>((Map<String, Long>) estimates));
            usage =
                    java.util.Collections.unmodifiableSortedMap(
                            new java.util.TreeMap<>((Map<String, Usage.Account>) usage));
            keys =
                    java.util.Collections.unmodifiableSortedMap(
                            new java.util.TreeMap<>((Map<SubmitKey, KeyUse>) keys));
        }
    }
}
