package dev.berth.engine;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Fault;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.collect.Tally;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.line.Order;
import dev.berth.core.line.Usage;
import dev.berth.core.line.Waiting;
import dev.berth.core.plan.Hold;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskState;
import dev.berth.engine.LongWaits.Lateness;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.KeyUse;
import dev.berth.engine.port.Scheduler;
import dev.berth.engine.port.SubmitKey;
import dev.berth.engine.port.TaskStore;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the engine knows: every task that is not finished and all that they hold. Finished ones are
 * in the store.
 *
 * @param books what is kept beside the tasks
 * @param drafts how many each principal has; follows from {@code tasks}
 * @param waiting the queued tasks in their lines; follows from {@code tasks}
 * @param holds what live attempts claim, by card; follows from {@code attempts}
 * @param watch what is known only while this server runs
 */
public record State(
        PersistentMap<TaskId, Task> tasks,
        PersistentMap<AttemptId, Attempt> attempts,
        PersistentMap<CardId, CardState> cards,
        Books books,
        Waiting waiting,
        Tally drafts,
        PersistentMap<CardId, List<Hold>> holds,
        Marks marks,
        Watch watch) {

    /**
     * What is kept beside the tasks.
     *
     * @param keys which requests were granted lately
     * @param usage what everybody has had of the cards
     * @param runs command files that are being run
     * @param faults cards that are out of use
     * @param estimates what models were found to need, in MiB, where that is more than was thought
     */
    public record Books(
            PersistentMap<SubmitKey, KeyUse> keys,
            PersistentMap<TokenId, Token> tokens,
            Usage usage,
            Scheduler scheduler,
            PersistentMap<Long, LaneRun> runs,
            PersistentMap<CardId, Fault> faults,
            PersistentMap<String, Long> estimates) {

        static final Books EMPTY =
                new Books(
                        PersistentMap.empty(),
                        PersistentMap.empty(),
                        Usage.NONE,
                        Scheduler.RUNNING,
                        PersistentMap.empty(),
                        PersistentMap.empty(),
                        PersistentMap.empty());

        Books withKeys(PersistentMap<SubmitKey, KeyUse> other) {
            return new Books(other, tokens, usage, scheduler, runs, faults, estimates);
        }

        Books withTokens(PersistentMap<TokenId, Token> other) {
            return new Books(keys, other, usage, scheduler, runs, faults, estimates);
        }

        Books with(Usage other) {
            return new Books(keys, tokens, other, scheduler, runs, faults, estimates);
        }

        Books with(Scheduler other) {
            return new Books(keys, tokens, usage, other, runs, faults, estimates);
        }

        Books with(LaneRun run) {
            var others = run.isOver() ? runs.without(run.id()) : runs.with(run.id(), run);
            return new Books(keys, tokens, usage, scheduler, others, faults, estimates);
        }

        Books withFaults(PersistentMap<CardId, Fault> others) {
            return new Books(keys, tokens, usage, scheduler, runs, others, estimates);
        }

        Books withEstimate(String model, long mib) {
            var others = estimates.with(model, mib);
            return new Books(keys, tokens, usage, scheduler, runs, faults, others);
        }
    }

    public PersistentMap<SubmitKey, KeyUse> keys() {
        return books.keys();
    }

    public PersistentMap<TokenId, Token> tokens() {
        return books.tokens();
    }

    /** The highest numbers given out. */
    public record Marks(long task, Instant createdAt, long seq, long run) {}

    /**
     * What is known only while this server runs.
     *
     * @param awaited attempts of an earlier server whose fate the node has not told yet
     * @param cards what happened on the cards lately
     * @param lateness how far long waits have been told of
     * @param grants when a task of each run was last given its cards
     * @param doubts what speaks against a card
     * @param paces how running attempts get on, where they say so
     */
    public record Watch(
            PersistentMap<AttemptId, Attempt> awaited,
            boolean diskLow,
            long diskFreeMib,
            Traffic cards,
            Lateness lateness,
            PersistentMap<Long, Instant> grants,
            Doubts doubts,
            PersistentMap<AttemptId, Pace> paces) {

        static final Watch NOTHING =
                new Watch(
                        PersistentMap.empty(),
                        false,
                        0,
                        Traffic.NONE,
                        Lateness.UNKNOWN,
                        PersistentMap.empty(),
                        Doubts.NONE,
                        PersistentMap.empty());

        Watch withAwaited(PersistentMap<AttemptId, Attempt> others) {
            return new Watch(others, diskLow, diskFreeMib, cards, lateness, grants, doubts, paces);
        }

        Watch withDisk(boolean low, long freeMib) {
            return new Watch(awaited, low, freeMib, cards, lateness, grants, doubts, paces);
        }

        Watch with(Traffic others) {
            return new Watch(
                    awaited, diskLow, diskFreeMib, others, lateness, grants, doubts, paces);
        }

        Watch with(Lateness other) {
            return new Watch(awaited, diskLow, diskFreeMib, cards, other, grants, doubts, paces);
        }

        Watch withGrants(PersistentMap<Long, Instant> others) {
            return new Watch(awaited, diskLow, diskFreeMib, cards, lateness, others, doubts, paces);
        }

        Watch with(Doubts others) {
            return new Watch(awaited, diskLow, diskFreeMib, cards, lateness, grants, others, paces);
        }

        Watch withPaces(PersistentMap<AttemptId, Pace> others) {
            return new Watch(
                    awaited, diskLow, diskFreeMib, cards, lateness, grants, doubts, others);
        }
    }

    /**
     * What a newly opened store says; {@code highestFolder} keeps ids above any folder left on
     * disk.
     */
    public static State of(TaskStore.Loaded loaded, Order order, long highestFolder) {
        var marks =
                new Marks(
                        Math.max(loaded.lastTask().map(TaskId::value).orElse(0L), highestFolder),
                        loaded.lastCreatedAt().orElse(Instant.EPOCH),
                        loaded.lastSeq(),
                        loaded.lastRun());
        var state =
                new State(
                        PersistentMap.empty(),
                        PersistentMap.empty(),
                        PersistentMap.empty(),
                        Books.EMPTY,
                        Waiting.nobody(order),
                        Tally.EMPTY,
                        PersistentMap.empty(),
                        marks,
                        Watch.NOTHING);
        for (var card : loaded.cards()) {
            state = state.apply(new Change.CardSaved(card));
        }
        for (var task : loaded.tasks()) {
            state = state.apply(new Change.TaskSaved(task));
        }
        var awaited = state.watch().awaited();
        for (var attempt : loaded.attempts()) {
            state = state.apply(new Change.AttemptSaved(attempt));
            awaited = awaited.with(attempt.id(), attempt);
        }
        for (var key : loaded.keys().entrySet()) {
            state = state.apply(new Change.KeySaved(key.getKey(), key.getValue()));
        }
        for (var token : loaded.tokens()) {
            state = state.apply(new Change.TokenSaved(token));
        }
        for (var account : loaded.usage().entrySet()) {
            state = state.apply(new Change.UsageSaved(account.getKey(), account.getValue()));
        }
        for (var run : loaded.runs()) {
            state = state.apply(new Change.RunSaved(run));
        }
        for (var fault : loaded.faults()) {
            state = state.apply(new Change.FaultSaved(fault));
        }
        for (var estimate : loaded.estimates().entrySet()) {
            state = state.apply(new Change.EstimateSaved(estimate.getKey(), estimate.getValue()));
        }
        state = state.apply(new Change.SchedulerSet(loaded.scheduler()));
        return state.with(Watch.NOTHING.withAwaited(awaited));
    }

    /** The only way durable state changes, at run time and on loading alike. */
    public State apply(Change change) {
        return switch (change) {
            case Change.TaskSaved(Task task) -> saved(task);
            case Change.AttemptSaved(Attempt attempt) -> saved(attempt);
            case Change.CardSaved(Card card) -> with(new CardState.Unknown(card, "not read yet"));
            case Change.KeySaved(SubmitKey key, KeyUse use) ->
                    with(books.withKeys(keys().with(key, use)));
            case Change.KeyDropped(SubmitKey key) -> with(books.withKeys(keys().without(key)));
            case Change.TokenSaved(Token token) ->
                    with(books.withTokens(tokens().with(token.id(), token)));
            case Change.TokenDropped(TokenId token) ->
                    with(books.withTokens(tokens().without(token)));
            case Change.UsageSaved(String principal, Usage.Account account) ->
                    with(books.with(books.usage().with(principal, account)));
            case Change.SchedulerSet(Scheduler scheduler) -> with(books.with(scheduler));
            case Change.Happened(var event) ->
                    with(new Marks(marks.task, marks.createdAt, event.seq(), marks.run));
            case Change.RunSaved(LaneRun run) -> saved(run);
            case Change.FaultSaved(Fault fault) ->
                    with(books.withFaults(books.faults().with(fault.card(), fault)));
            case Change.FaultDropped(CardId card) ->
                    with(books.withFaults(books.faults().without(card)));
            case Change.EstimateSaved(String model, long mib) ->
                    with(books.withEstimate(model, mib));
        };
    }

    private State saved(LaneRun run) {
        var reached =
                new Marks(marks.task, marks.createdAt, marks.seq, Math.max(marks.run, run.id()));
        return with(books.with(run)).with(reached);
    }

    /** Those whose rest is over may start. */
    State awake(Instant now) {
        var after = waiting.awake(now);
        return new State(tasks, attempts, cards, books, after, drafts, holds, marks, watch);
    }

    private State saved(Task task) {
        var before = tasks.get(task.id());
        var line = before.map(waiting::without).orElse(waiting);
        var after =
                switch (task.state()) {
                    case TaskState.Queued _ -> line.with(task);
                    case TaskState.Running _ -> line.withRunning(task);
                    case TaskState.Pending _,
                            TaskState.Completed _,
                            TaskState.Failed _,
                            TaskState.Cancelled _ ->
                            line;
                };
        var kept = task.state().isFinal() ? tasks.without(task.id()) : tasks.with(task.id(), task);
        var created =
                task.createdAt().isAfter(marks.createdAt) ? task.createdAt() : marks.createdAt;
        var reached =
                new Marks(Math.max(marks.task, task.id().value()), created, marks.seq, marks.run);
        return new State(
                kept, attempts, cards, books, after, drafts(before, task), holds, reached, watch);
    }

    private Tally drafts(Optional<Task> before, Task task) {
        var principal = task.owner().principal();
        boolean was = before.filter(one -> one.state() instanceof TaskState.Pending).isPresent();
        boolean is = task.state() instanceof TaskState.Pending;
        return was == is ? drafts : is ? drafts.plus(principal) : drafts.minus(principal);
    }

    private State saved(Attempt attempt) {
        var kept =
                attempt.isLive()
                        ? attempts.with(attempt.id(), attempt)
                        : attempts.without(attempt.id());
        var held = holds;
        for (var claim : attempt.claims()) {
            var there = new ArrayList<>(held.get(claim.card()).orElse(List.of()));
            there.removeIf(hold -> hold.attempt().equals(attempt.id()));
            if (attempt.isLive()) {
                there.add(new Hold(attempt.id(), claim));
            }
            held =
                    there.isEmpty()
                            ? held.without(claim.card())
                            : held.with(claim.card(), List.copyOf(there));
        }
        return new State(tasks, kept, cards, books, waiting, drafts, held, marks, watch);
    }

    public State with(CardState card) {
        var others = cards.with(card.card().id(), card);
        return new State(tasks, attempts, others, books, waiting, drafts, holds, marks, watch);
    }

    public State with(Watch other) {
        return new State(tasks, attempts, cards, books, waiting, drafts, holds, marks, other);
    }

    private State with(Marks other) {
        return new State(tasks, attempts, cards, books, waiting, drafts, holds, other, watch);
    }

    private State with(Books other) {
        return new State(tasks, attempts, cards, other, waiting, drafts, holds, marks, watch);
    }

    /**
     * The cards as a pass sees them: whatever one that is out of use says, nothing starts there.
     */
    public PersistentMap<CardId, CardState> usable() {
        var all = cards;
        for (var fault : books.faults()) {
            var known = cards.get(fault.getKey());
            if (known.isPresent()) {
                var failed = new CardState.Failed(known.get().card(), fault.getValue().why());
                all = all.with(fault.getKey(), failed);
            }
        }
        return all;
    }

    /** A number may have been another card's before: the one that is seen now is meant. */
    public Optional<CardState> cardAt(int index) {
        return cards.values()
                .filter(one -> one.card().index() == index)
                .min(Comparator.comparing(one -> !(one instanceof CardState.Readable)));
    }

    /** The numbers of an attempt's cards, with commas. */
    String indices(Attempt attempt) {
        return attempt.claims().stream()
                .map(claim -> cards.get(claim.card()).orElseThrow().card().index())
                .sorted()
                .map(String::valueOf)
                .collect(Collectors.joining(","));
    }

    /** The highest id ever given to a token; 0 where there was none. */
    TokenId lastToken() {
        return tokens().last().map(Map.Entry::getKey).orElse(new TokenId(0));
    }
}
