package dev.berth.store;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.Fault;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.line.Usage;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.KeyUse;
import dev.berth.engine.port.Scheduler;
import dev.berth.engine.port.SubmitKey;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a list of changes comes to: of each thing only its last value. */
final class Batch {

    private static final String SAVE_ESTIMATE =
            Sql.upsert("model_estimate", 1, List.of("model", "mib"));

    private final SortedMap<TaskId, Task> tasks = new TreeMap<>();
    private final SortedMap<AttemptId, Attempt> attempts = new TreeMap<>();
    private final SortedMap<CardId, Card> cards = new TreeMap<>();
    private final SortedMap<SubmitKey, Optional<KeyUse>> keys = new TreeMap<>();
    private final SortedMap<TokenId, Optional<Token>> tokens = new TreeMap<>();
    private final SortedMap<String, Usage.Account> usage = new TreeMap<>();
    private final SortedMap<CardId, Optional<Fault>> faults = new TreeMap<>();
    private final SortedMap<String, Long> estimates = new TreeMap<>();
    private final SortedMap<Long, LaneRun> runs = new TreeMap<>();
    private Optional<Scheduler> scheduler = Optional.empty();
    private final SortedMap<Long, Event> events = new TreeMap<>();

    Batch(List<Change> changes) {
        for (var change : changes) {
            switch (change) {
                case Change.TaskSaved(var task) -> tasks.put(task.id(), task);
                case Change.AttemptSaved(var attempt) -> attempts.put(attempt.id(), attempt);
                case Change.CardSaved(var card) -> cards.put(card.id(), card);
                case Change.KeySaved(var key, var use) -> keys.put(key, Optional.of(use));
                case Change.KeyDropped(var key) -> keys.put(key, Optional.empty());
                case Change.TokenSaved(var token) -> tokens.put(token.id(), Optional.of(token));
                case Change.TokenDropped(var id) -> tokens.put(id, Optional.empty());
                case Change.UsageSaved(var principal, var account) -> usage.put(principal, account);
                case Change.SchedulerSet(var value) -> scheduler = Optional.of(value);
                case Change.FaultSaved(var fault) -> faults.put(fault.card(), Optional.of(fault));
                case Change.FaultDropped(var card) -> faults.put(card, Optional.empty());
                case Change.EstimateSaved(var model, var mib) -> estimates.put(model, mib);
                case Change.RunSaved(var run) -> runs.put(run.id(), run);
                case Change.Happened(var event) -> events.put(event.seq(), event);
            }
        }
    }

    Iterable<Task> tasks() {
        return tasks.values();
    }

    /** Tasks come before their attempts, as the schema demands. */
    void save(Session session) throws SQLException {
        for (var task : tasks.values()) {
            TaskRow.save(session, task);
        }
        for (var run : runs.values()) {
            RunRow.save(session, run);
        }
        for (var card : cards.values()) {
            CardRow.save(session, card);
        }
        // A card passes from hand to hand within one batch: who lets go is written before who
        // takes.
        saveAttempts(session, false);
        saveAttempts(session, true);
        saveKeys(session);
        for (var account : usage.entrySet()) {
            UsageRow.save(session, account.getKey(), account.getValue());
        }
        saveWhatWasLearned(session);
        if (scheduler.isPresent()) {
            ServerRow.save(session, scheduler.get());
        }
        for (var event : events.values()) {
            EventRow.save(session, event);
        }
    }

    private void saveWhatWasLearned(Session session) throws SQLException {
        for (Map.Entry<CardId, Optional<Fault>> fault : faults.entrySet()) {
            if (fault.getValue().isPresent()) {
                FaultRow.save(session, fault.getValue().get());
            } else {
                FaultRow.drop(session, fault.getKey());
            }
        }
        for (Map.Entry<String, Long> estimate : estimates.entrySet()) {
            session.prepared(SAVE_ESTIMATE)
                    .text(estimate.getKey())
                    .number(estimate.getValue())
                    .run();
        }
    }

    private void saveKeys(Session session) throws SQLException {
        for (Map.Entry<SubmitKey, Optional<KeyUse>> key : keys.entrySet()) {
            if (key.getValue().isPresent()) {
                KeyRow.save(session, key.getKey(), key.getValue().get());
            } else {
                KeyRow.drop(session, key.getKey());
            }
        }
        for (Map.Entry<TokenId, Optional<Token>> token : tokens.entrySet()) {
            if (token.getValue().isPresent()) {
                TokenRow.save(session, token.getValue().get());
            } else {
                TokenRow.drop(session, token.getKey());
            }
        }
    }

    private void saveAttempts(Session session, boolean live) throws SQLException {
        for (var attempt : attempts.values()) {
            if (attempt.isLive() == live) {
                AttemptRow.save(session, attempt);
                ClaimRow.saveAll(session, attempt);
            }
        }
    }
}
