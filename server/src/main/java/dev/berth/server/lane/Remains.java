package dev.berth.server.lane;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Source;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.Strays;
import dev.berth.engine.port.Strays.Stray;
import dev.berth.engine.port.TaskQueries;

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
 * What abnormal ends have left behind: records that say that a try runs, where nothing of it does,
 * and processes of attempts that are over.
 */
public final class Remains {

    private static final int PAGE = 500;
    private static final int RADIX = 36;

    /** By the form alone; see {@link Task#uniId}. */
    private static final Pattern OWN = Pattern.compile("([0-9a-z]{8,12})_\\d{1,9}");

    private final EngineLoop engine;
    private final TaskQueries queries;
    private final ProcessBook book;
    private final Strays strays;

    public Remains(EngineLoop engine, TaskQueries queries, ProcessBook book, Strays strays) {
        this.engine = engine;
        this.queries = queries;
        this.book = book;
        this.strays = strays;
    }

    /** A list of what there is, or was until just now. */
    public record Left(List<Orphan> records, List<Stray> processes) {
        public Left {
            records = List.copyOf(records);
            processes = List.copyOf(processes);
        }
    }

    /** A record whose try does not run. */
    public record Orphan(String uniId, OptionalLong pid, String state) {}

    /** Changes nothing. */
    public Left list() throws Strays.Unreadable, StoreFailure, IOException {
        var processes = new ArrayList<Stray>();
        for (var over : over()) {
            processes.addAll(strays.of(over));
        }
        return new Left(orphans(records()), processes);
    }

    /** Ends and removes it; what was. */
    public Left remove() throws Strays.Unreadable, StoreFailure, IOException {
        var processes = end(over());
        // After that, for what has been ended now runs no more either.
        var records = records();
        if (!records.isEmpty()) {
            book.file()
                    .update(
                            tree ->
                                    records.forEach(
                                            (uniId, record) -> {
                                                if (record.equals(tree.get(uniId))) {
                                                    tree.remove(uniId);
                                                }
                                            }));
        }
        return new Left(orphans(records), processes);
    }

    /** First the processes, then the engine: what was started in between is known to it. */
    private SortedSet<AttemptId> over() throws Strays.Unreadable {
        var attempts = new TreeSet<>(strays.attempts());
        var live = engine.state().attempts();
        attempts.removeIf(live::contains);
        return attempts;
    }

    /** All at once, since each may take its time. */
    private List<Stray> end(SortedSet<AttemptId> over) throws Strays.Unreadable {
        var ended = new ArrayList<Stray>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var work =
                    over.stream()
                            .map(one -> (Callable<List<Stray>>) () -> strays.end(one))
                            .toList();
            for (var done : threads.invokeAll(work)) {
                ended.addAll(done.get());
            }
        } catch (ExecutionException failure) {
            throw new Strays.Unreadable("not everything could be ended", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Strays.Unreadable("interrupted while ending processes", interrupted);
        }
        return ended;
    }

    private static List<Orphan> orphans(Map<String, JsonNode> records) {
        return records.entrySet().stream()
                .map(
                        entry ->
                                new Orphan(
                                        entry.getKey(),
                                        ProcessFileTry.pid(entry.getValue()),
                                        ProcessFileTry.RUNNING))
                .toList();
    }

    private Map<String, JsonNode> records() throws Strays.Unreadable, StoreFailure, IOException {
        var orphans = new TreeMap<String, JsonNode>();
        var doubtful = new TreeMap<String, JsonNode>();
        var live = live();
        for (var entry : book.file().look().tree().properties()) {
            var record = entry.getValue();
            var uniId = entry.getKey();
            if (ProcessFileTry.isRunning(record) && !live.contains(uniId) && !book.keeps(uniId)) {
                var pid = ProcessFileTry.pid(record);
                if (pid.isEmpty() || !strays.isAlive(pid.getAsLong())) {
                    orphans.put(uniId, record);
                } else if (!isOfLive(pid.getAsLong())) {
                    doubtful.put(uniId, record);
                }
            }
        }
        // Something has that number. Only of its own tries does Berth know that it is another.
        doubtful.keySet().retainAll(own(doubtful.keySet()));
        orphans.putAll(doubtful);
        return orphans;
    }

    private boolean isOfLive(long pid) throws Strays.Unreadable {
        return strays.attemptOf(pid).filter(engine.state().attempts()::contains).isPresent();
    }

    private Set<String> live() {
        var state = engine.state();
        return state.attempts()
                .values()
                .flatMap(attempt -> state.tasks().get(attempt.id().task()).stream())
                .map(Task::uniId)
                .collect(Collectors.toSet());
    }

    /** Which of these are names of Berth's own tries. */
    private Set<String> own(Set<String> uniIds) throws StoreFailure {
        var own = new TreeSet<String>();
        var stems = new TreeMap<Long, List<String>>();
        for (var uniId : uniIds) {
            created(uniId)
                    .ifPresent(at -> stems.computeIfAbsent(at, _ -> new ArrayList<>()).add(uniId));
        }
        var filter = new TaskQueries.Filter(Optional.empty(), Optional.of(Source.FILE));
        var before = Optional.<TaskId>empty();
        // Newest first, and older tasks were created earlier.
        while (!stems.isEmpty()) {
            var page = queries.list(filter, new TaskQueries.Page(OptionalInt.of(PAGE), before));
            for (var found : page) {
                long at = created(found.task().uniId()).orElseThrow();
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

    /** When the task was created that may have a try of this name. */
    private static OptionalLong created(String uniId) {
        var form = OWN.matcher(uniId);
        return form.matches()
                ? OptionalLong.of(Long.parseLong(form.group(1), RADIX))
                : OptionalLong.empty();
    }
}
