package dev.berth.server.lane;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.Mode;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.State;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/** Command files that were started: those that go on, and those that are over. */
public record Runs(EngineLoop engine, TaskQueries queries) implements RunningConfigs {

    /** A file that was last run so many runs ago is no longer shown. */
    private static final int SHOWN = 1000;

    /** Those that go on, oldest first. */
    public List<LaneRun> live() {
        return live(engine.state());
    }

    private static List<LaneRun> live(State state) {
        return state.books().runs().values().toList();
    }

    /** One that goes on. */
    public Optional<LaneRun> live(long id) {
        return engine.state().books().runs().get(id);
    }

    /** One that goes on or is over. */
    public Optional<LaneRun> find(long id) throws StoreFailure {
        var state = engine.state();
        var live = state.books().runs().get(id);
        if (live.isPresent() || !wasEver(id)) {
            return live;
        }
        // Numbers have no gaps, so it is among as many of the newest.
        long behind = state.marks().run() - id + 1;
        return queries.runs((int) Math.min(behind + SHOWN, Integer.MAX_VALUE)).stream()
                .filter(run -> run.id() == id)
                .findFirst();
    }

    /** Whether there is or was a run of this number. */
    public boolean wasEver(long id) {
        return id >= 1 && id <= engine.state().marks().run();
    }

    /** A mode's runs that go on and the last of each file that is over, oldest first. */
    public List<LaneRun> shown(Mode mode) throws StoreFailure {
        var shown = new TreeMap<Long, LaneRun>();
        for (var run : live()) {
            if (run.mode() == mode) {
                shown.put(run.id(), run);
            }
        }
        var files = new TreeSet<String>();
        for (var run : queries.runs(SHOWN)) {
            // What has ended since the look at those that go on, ended.
            if (run.mode() == mode && run.isOver() && files.add(run.file())) {
                shown.put(run.id(), run);
            }
        }
        return List.copyOf(shown.values());
    }

    @Override
    public OptionalLong pid(Mode mode, int index) {
        return live().stream()
                .filter(run -> run.mode() == mode)
                .filter(run -> run.config().isPresent() && run.config().getAsInt() == index)
                .mapToLong(LaneRun::id)
                .max();
    }
}
