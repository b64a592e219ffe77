package dev.berth.engine;

import dev.berth.core.diagnosis.Cause;
import dev.berth.core.plan.Capacity;
import dev.berth.core.plan.Estimates;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Findings;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Said;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;

import java.util.Map;
import java.util.Optional;

/** What follows from a task that needed more of a card's memory than there was. */
final class OutOfMemory {

    static final String ERROR = "CUDA out of memory";

    /** The word by which a script says so itself. */
    private static final String WORD = "oom";

    private OutOfMemory() {}

    /** By its own script's word, or by its log where it failed. */
    static boolean is(Attempt attempt, Ending ending, Findings findings) {
        var said = attempt.said();
        if (said.filter(one -> one.isWell() || one.errorType().isPresent()).isPresent()) {
            return said.flatMap(Said::errorType).filter(WORD::equalsIgnoreCase).isPresent();
        }
        boolean isWell = ending instanceof Ending.Exited(int code) && code == 0;
        return !isWell && findings.diagnosis().filter(one -> one.cause() == Cause.OOM).isPresent();
    }

    /** The next task of this model is thought to need more. */
    static void raiseEstimate(Draft draft, Task task, Estimates estimates) {
        var work = task.spec().work();
        var model = work.flatMap(ModelWork::model);
        if (model.isEmpty()) {
            return;
        }
        long now = estimates.base(work.get());
        var most = Capacity.mostMib(draft.state().cards(), task.spec().need());
        long raised =
                most.isEmpty()
                        ? Estimates.more(now)
                        : Math.min(
                                Estimates.more(now),
                                Math.max(now, estimates.mostBase(work.get(), most.getAsLong())));
        if (raised > now) {
            draft.save(new Change.EstimateSaved(model.get(), raised));
            draft.happened(
                    Event.Kind.ESTIMATE_RAISED,
                    Owner.BERTH,
                    task.id(),
                    Map.of(
                            "model", model.get(),
                            "from_mib", Long.toString(now),
                            "to_mib", Long.toString(raised)));
        }
    }

    /** What it is to be tried again with: more than it stated, if a card can give that. */
    static Optional<TaskSpec> larger(State state, TaskSpec spec) {
        if (!(spec.need() instanceof Need.Cards need) || need.memory().mib().isEmpty()) {
            return Optional.empty();
        }
        long now = need.memory().mib().getAsLong();
        long raised =
                Math.min(Estimates.more(now), Capacity.mostMib(state.cards(), need).orElse(now));
        return raised > now
                ? Optional.of(spec.with(need.with(need.memory().with(raised))))
                : Optional.empty();
    }
}
