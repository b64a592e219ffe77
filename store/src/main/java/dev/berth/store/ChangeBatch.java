package dev.berth.store;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShellContext;
import dev.berth.core.task.Task;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.SchedulerState;
import dev.berth.port.SubmitKey;
import dev.berth.port.SubmitKeyUse;

import java.sql.SQLException;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The net effect of a list of changes: of each saved value only the last version. */
final class ChangeBatch {

    private final SortedMap<TaskId, Task> tasks = new TreeMap<>();
    private final SortedMap<TaskId, Script.Text> scripts = new TreeMap<>();
    private final SortedSet<TaskId> removedTasks = new TreeSet<>();
    private final SortedMap<AttemptId, Attempt> attempts = new TreeMap<>();
    private final SortedMap<GpuId, Gpu> gpus = new TreeMap<>();
    private final SortedMap<SubmitKey, Optional<SubmitKeyUse>> keys = new TreeMap<>();
    private final SortedMap<TokenId, Optional<Token>> tokens = new TreeMap<>();
    private final SortedMap<String, GpuUsage.Account> usage = new TreeMap<>();
    private final SortedMap<String, SortedSet<String>> groups = new TreeMap<>();
    private final SortedMap<Long, Reservation> reservations = new TreeMap<>();
    private final SortedMap<Long, Instant> endedReservations = new TreeMap<>();
    private final SortedMap<GpuId, Optional<GpuFault>> faults = new TreeMap<>();
    private final SortedMap<String, Long> estimates = new TreeMap<>();
    private final SortedMap<Long, Instant> forgottenRuns = new TreeMap<>();
    private final SortedMap<String, Optional<Model>> models = new TreeMap<>();
    private final SortedMap<TaskId, String> results = new TreeMap<>();
    private final SortedMap<Long, FileRun> runs = new TreeMap<>();
    private Optional<SchedulerState> scheduler = Optional.empty();
    private final SortedMap<Long, Event> events = new TreeMap<>();

    ChangeBatch(List<Change> changes) {
        for (var change : changes) {
            switch (change) {
                case Change.TaskSaved(var task) -> add(task);
                case Change.TaskRemoved(var id) -> removedTasks.add(id);
                case Change.AttemptSaved(var attempt) -> attempts.put(attempt.id(), attempt);
                case Change.GpuSaved(var gpu) -> gpus.put(gpu.id(), gpu);
                case Change.KeySaved(var key, var use) -> keys.put(key, Optional.of(use));
                case Change.KeyDropped(var key) -> keys.put(key, Optional.empty());
                case Change.TokenSaved(var token) -> tokens.put(token.id(), Optional.of(token));
                case Change.TokenDropped(var id) -> tokens.put(id, Optional.empty());
                case Change.UsageSaved(var principal, var account) -> usage.put(principal, account);
                case Change.GroupsSaved(var principal, var names) -> groups.put(principal, names);
                case Change.ReservationSaved(var one) -> reservations.put(one.id(), one);
                case Change.ReservationEnded(var id, var at) -> endedReservations.put(id, at);
                case Change.SchedulerSaved(var value) -> scheduler = Optional.of(value);
                case Change.FaultSaved(var fault) -> faults.put(fault.gpu(), Optional.of(fault));
                case Change.FaultDropped(var gpu) -> faults.put(gpu, Optional.empty());
                case Change.EstimateSaved(var model, var mib) -> estimates.put(model, mib);
                case Change.ModelSaved(var model) -> models.put(model.name(), Optional.of(model));
                case Change.ModelRemoved(var name) -> models.put(name, Optional.empty());
                case Change.ResultSaved(var task, var value) -> results.put(task, value);
                case Change.FileRunSaved(var run) -> runs.put(run.id(), run);
                case Change.RunsForgotten(var fingerprint, var at) ->
                        forgottenRuns.put(fingerprint, at);
                case Change.EventAdded(var event) -> events.put(event.seq(), event);
            }
        }
    }

    /** A later version of a new task comes without the text. */
    private void add(Task task) {
        tasks.put(task.id(), task);
        if (task.spec().script() instanceof Script.Text text) {
            scripts.put(task.id(), text);
        }
    }

    Iterable<Task> tasks() {
        return tasks.values();
    }

    Optional<SchedulerState> scheduler() {
        return scheduler;
    }

    /** Tasks are written before their attempts because of the foreign key. */
    void save(SqlSession session) throws SQLException {
        for (var task : tasks.values()) {
            if (scripts.containsKey(task.id()) || !TaskRow.update(session, task)) {
                TaskRow.save(session, task);
            }
        }
        saveScripts(session);
        for (var run : runs.values()) {
            FileRunRow.save(session, run);
        }
        for (var gpu : gpus.values()) {
            GpuRow.save(session, gpu);
        }
        // One batch can move a GPU from an ended attempt to a new one. The unique index on
        // exclusive claims requires the release to be written first.
        saveAttempts(session, false);
        saveAttempts(session, true);
        for (var id : removedTasks) {
            TaskRow.delete(session, id);
        }
        saveKeys(session);
        saveShares(session);
        saveFaultsAndEstimates(session);
        saveModels(session);
        for (var event : events.values()) {
            EventRow.save(session, event);
        }
    }

    private void saveShares(SqlSession session) throws SQLException {
        for (var account : usage.entrySet()) {
            UsageRow.save(session, account.getKey(), account.getValue());
        }
        for (Map.Entry<String, SortedSet<String>> names : groups.entrySet()) {
            GroupsRow.save(session, names.getKey(), names.getValue());
        }
        for (var reservation : reservations.values()) {
            ReservationRow.save(session, reservation);
        }
        for (Map.Entry<Long, Instant> ended : endedReservations.entrySet()) {
            ReservationRow.end(session, ended.getKey(), ended.getValue());
        }
    }

    /** The scripts of one request share their shell, so that its hash is computed once. */
    private void saveScripts(SqlSession session) throws SQLException {
        var shells = new IdentityHashMap<ShellContext, String>();
        for (Map.Entry<TaskId, Script.Text> script : scripts.entrySet()) {
            var shell = script.getValue().runAs().flatMap(RunAs::shell);
            if (shell.isPresent() && !shells.containsKey(shell.get())) {
                shells.put(shell.get(), ShellRow.save(session, shell.get()));
            }
            ScriptRow.save(session, script.getKey(), script.getValue(), shell.map(shells::get));
        }
    }

    private void saveFaultsAndEstimates(SqlSession session) throws SQLException {
        for (Map.Entry<GpuId, Optional<GpuFault>> fault : faults.entrySet()) {
            if (fault.getValue().isPresent()) {
                GpuFaultRow.save(session, fault.getValue().get());
            } else {
                GpuFaultRow.delete(session, fault.getKey());
            }
        }
        for (Map.Entry<String, Long> estimate : estimates.entrySet()) {
            EstimateRow.save(session, estimate.getKey(), estimate.getValue());
        }
        for (Map.Entry<Long, Instant> forgotten : forgottenRuns.entrySet()) {
            ForgottenRunsRow.save(session, forgotten.getKey(), forgotten.getValue());
        }
    }

    private void saveModels(SqlSession session) throws SQLException {
        for (Map.Entry<String, Optional<Model>> model : models.entrySet()) {
            if (model.getValue().isPresent()) {
                ModelRow.save(session, model.getValue().get());
            } else {
                ModelRow.delete(session, model.getKey());
            }
        }
        for (Map.Entry<TaskId, String> result : results.entrySet()) {
            CallResultRow.save(session, result.getKey(), result.getValue());
        }
    }

    private void saveKeys(SqlSession session) throws SQLException {
        for (Map.Entry<SubmitKey, Optional<SubmitKeyUse>> key : keys.entrySet()) {
            if (key.getValue().isPresent()) {
                SubmitKeyRow.save(session, key.getKey(), key.getValue().get());
            } else {
                SubmitKeyRow.delete(session, key.getKey());
            }
        }
        for (Map.Entry<TokenId, Optional<Token>> token : tokens.entrySet()) {
            if (token.getValue().isPresent()) {
                TokenRow.save(session, token.getValue().get());
            } else {
                TokenRow.delete(session, token.getKey());
            }
        }
    }

    private void saveAttempts(SqlSession session, boolean live) throws SQLException {
        for (var attempt : attempts.values()) {
            if (attempt.isLive() == live) {
                AttemptRow.save(session, attempt);
                ClaimRow.saveAll(session, attempt);
            }
        }
    }
}
