package dev.berth.runs;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSource;
import dev.berth.engine.EngineLoop;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.LeftoverProcesses;
import dev.berth.port.read.LeftoverProcesses.LeftoverProcess;
import dev.berth.port.read.TaskQueries;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds and removes leftovers of abnormal ends: records of running tries without a process, and
 * processes of ended attempts.
 */
public final class LeftoverCleanup {

    private static final int PAGE = 500;
    private static final int RADIX = 36;

    /** The format of {@link Task#uniId}. */
    private static final Pattern UNI_ID = Pattern.compile("([0-9a-z]{8,12})_\\d{1,9}");

    private final EngineLoop engine;
    private final TaskQueries queries;
    private final ProcessFileWriter processFileWriter;
    private final LeftoverProcesses leftoverProcesses;

    public LeftoverCleanup(
            EngineLoop engine,
            TaskQueries queries,
            ProcessFileWriter processFileWriter,
            LeftoverProcesses leftoverProcesses) {
        this.engine = engine;
        this.queries = queries;
        this.processFileWriter = processFileWriter;
        this.leftoverProcesses = leftoverProcesses;
    }

    /** The leftovers that exist, or existed before their removal. */
    public record LeftoverList(List<OrphanRecord> records, List<LeftoverProcess> processes) {
        public LeftoverList {
            records = List.copyOf(records);
            processes = List.copyOf(processes);
        }
    }

    /** A record of a try that does not run. */
    public record OrphanRecord(String uniId, OptionalLong pid, String state) {}

    /** Lists the leftovers without changing anything. */
    public LeftoverList list()
            throws LeftoverProcesses.ProcessTableUnreadable, StoreFailure, IOException {
        var processes = new ArrayList<LeftoverProcess>();
        for (var ended : endedAttempts()) {
            processes.addAll(leftoverProcesses.of(ended));
        }
        return new LeftoverList(orphans(orphanRecords()), processes);
    }

    /**
     * Ends the processes and removes the records.
     *
     * @return the removed leftovers
     */
    public LeftoverList remove()
            throws LeftoverProcesses.ProcessTableUnreadable, StoreFailure, IOException {
        var processes = endAll(endedAttempts());
        // After the processes: their records are leftovers now, too.
        var records = orphanRecords();
        if (!records.isEmpty()) {
            processFileWriter
                    .file()
                    .update(
                            tree ->
                                    records.forEach(
                                            (uniId, record) -> {
                                                if (record.equals(tree.get(uniId))) {
                                                    tree.remove(uniId);
                                                }
                                            }));
        }
        return new LeftoverList(orphans(records), processes);
    }

    /**
     * Processes are listed before the engine's state is read: an attempt started in between is in
     * that state.
     */
    private SortedSet<AttemptId> endedAttempts() throws LeftoverProcesses.ProcessTableUnreadable {
        var attempts = new TreeSet<>(leftoverProcesses.attempts());
        var live = engine.state().attempts();
        attempts.removeIf(live::contains);
        return attempts;
    }

    /** In parallel, because each may take long. */
    private List<LeftoverProcess> endAll(SortedSet<AttemptId> endedAttempts)
            throws LeftoverProcesses.ProcessTableUnreadable {
        var ended = new ArrayList<LeftoverProcess>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var scans =
                    endedAttempts.stream()
                            .map(
                                    attempt ->
                                            (Callable<List<LeftoverProcess>>)
                                                    () -> leftoverProcesses.end(attempt))
                            .toList();
            for (var done : threads.invokeAll(scans)) {
                ended.addAll(done.get());
            }
        } catch (ExecutionException failure) {
            throw new LeftoverProcesses.ProcessTableUnreadable(
                    "not everything could be ended", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new LeftoverProcesses.ProcessTableUnreadable(
                    "interrupted while ending processes", interrupted);
        }
        return ended;
    }

    private static List<OrphanRecord> orphans(Map<String, JsonNode> records) {
        return records.entrySet().stream()
                .map(
                        entry ->
                                new OrphanRecord(
                                        entry.getKey(),
                                        TaskTry.pid(entry.getValue()),
                                        TaskTry.RUNNING))
                .toList();
    }

    private Map<String, JsonNode> orphanRecords()
            throws LeftoverProcesses.ProcessTableUnreadable, StoreFailure, IOException {
        var orphans = new TreeMap<String, JsonNode>();
        var doubtful = new TreeMap<String, JsonNode>();
        var live = liveUniIds();
        for (var entry : processFileWriter.file().readInTime().tree().properties()) {
            var record = entry.getValue();
            var uniId = entry.getKey();
            if (TaskTry.isRunning(record)
                    && !live.contains(uniId)
                    && !processFileWriter.maintains(uniId)) {
                var pid = TaskTry.pid(record);
                if (pid.isEmpty() || !leftoverProcesses.isAlive(pid.getAsLong())) {
                    orphans.put(uniId, record);
                } else if (!isOfLiveAttempt(pid.getAsLong())) {
                    doubtful.put(uniId, record);
                }
            }
        }
        // The PID is in use. Berth can tell only for its own tries that it belongs to another
        // process.
        doubtful.keySet().retainAll(ownUniIds(doubtful.keySet()));
        orphans.putAll(doubtful);
        return orphans;
    }

    private boolean isOfLiveAttempt(long pid) throws LeftoverProcesses.ProcessTableUnreadable {
        return leftoverProcesses
                .attemptOf(pid)
                .filter(engine.state().attempts()::contains)
                .isPresent();
    }

    private Set<String> liveUniIds() {
        var state = engine.state();
        return state.attempts()
                .values()
                .flatMap(attempt -> state.tasks().get(attempt.id().task()).stream())
                .map(Task::uniId)
                .collect(Collectors.toSet());
    }

    /** Selects the IDs that are tries of Berth. */
    private Set<String> ownUniIds(Set<String> uniIds) throws StoreFailure {
        var own = new TreeSet<String>();
        var stems = new TreeMap<Long, List<String>>();
        for (var uniId : uniIds) {
            creationMicros(uniId)
                    .ifPresent(at -> stems.computeIfAbsent(at, _ -> new ArrayList<>()).add(uniId));
        }
        var filter = new TaskQueries.Filter(Optional.empty(), Optional.of(TaskSource.FILE));
        var before = Optional.<TaskId>empty();
        // Newest first: older tasks have earlier creation times.
        while (!stems.isEmpty()) {
            var page = queries.list(filter, new TaskQueries.Page(OptionalInt.of(PAGE), before));
            for (var found : page) {
                long at = creationMicros(found.task().uniId()).orElseThrow();
                stems.tailMap(at + 1, true).clear();
                own.addAll(Optional.ofNullable(stems.remove(at)).orElse(List.of()));
            }
            if (page.size() < PAGE) {
                break;
            }
            before = Optional.of(page.getLast().task().id());
        }
        return own;
    }

    /** The creation time encoded in this ID. */
    private static OptionalLong creationMicros(String uniId) {
        var form = UNI_ID.matcher(uniId);
        return form.matches()
                ? OptionalLong.of(Long.parseLong(form.group(1), RADIX))
                : OptionalLong.empty();
    }
}
