package dev.berth.runs;

import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineState;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** File runs, live and ended. */
public record FileRuns(EngineLoop engine, TaskQueries queries) implements ActiveCommandFiles {

    /** A file that was last run more than this number of runs ago is no longer shown. */
    private static final int MAX_SHOWN = 1000;

    /** Live runs, oldest first. */
    public List<FileRun> live() {
        return live(engine.state());
    }

    private static List<FileRun> live(EngineState state) {
        return state.durable().fileRuns().values().toList();
    }

    /** A live run. */
    public Optional<FileRun> live(long id) {
        return engine.state().durable().fileRuns().get(id);
    }

    /** A live or ended run. */
    public Optional<FileRun> find(long id) throws StoreFailure {
        var state = engine.state();
        var live = state.durable().fileRuns().get(id);
        if (live.isPresent() || !exists(id)) {
            return live;
        }
        // IDs have no gaps, so the run is among this number of the newest runs.
        long behind = state.lastIds().run() - id + 1;
        return queries.fileRuns((int) Math.min(behind + MAX_SHOWN, Integer.MAX_VALUE)).stream()
                .filter(run -> run.id() == id)
                .findFirst();
    }

    /** True if a run with this ID exists or existed. */
    public boolean exists(long id) {
        return id >= 1 && id <= engine.state().lastIds().run();
    }

    /**
     * The live runs of a mode and the last ended run of each file, oldest first.
     *
     * @param isShown selects the runs that the caller may see
     */
    public List<FileRun> shown(FileMode mode, Predicate<FileRun> isShown) throws StoreFailure {
        var shown = new TreeMap<Long, FileRun>();
        for (var run : live()) {
            if (run.mode() == mode && isShown.test(run)) {
                shown.put(run.id(), run);
            }
        }
        var files = new TreeSet<String>();
        for (var run : queries.fileRuns(MAX_SHOWN)) {
            // A run that has ended since the live runs were read counts as ended.
            if (run.mode() == mode
                    && run.hasEnded()
                    && isShown.test(run)
                    && files.add(run.file())) {
                shown.put(run.id(), run);
            }
        }
        return List.copyOf(shown.values());
    }

    @Override
    public OptionalLong runId(FileMode mode, int index) {
        return runId(mode, index, _ -> true);
    }

    /** The live run of this file, among those that are selected. */
    public OptionalLong runId(FileMode mode, int index, Predicate<FileRun> isSelected) {
        return live().stream()
                .filter(run -> run.mode() == mode && isSelected.test(run))
                .filter(
                        run ->
                                run.configIndex().isPresent()
                                        && run.configIndex().getAsInt() == index)
                .mapToLong(FileRun::id)
                .max();
    }
}
