package dev.berth.engine;

import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.WaitReason;

import java.time.Instant;
import java.util.Optional;

/**
 * Everything that a decision depends on. Only a committed {@link Step} replaces it, so a failed
 * commit also takes back what was decided about rules, halts and purges.
 *
 * @param state tasks, attempts, GPUs and what belongs to them
 * @param deciders the rules now in force
 * @param halted why no task may start any more, if a rule was found broken
 * @param purgeAt when outdated submit keys and tokens are next removed
 * @param idlePass what the last scheduling pass looked at, if it started no task
 * @param samplesOften whether the node reads the GPUs often
 */
record StepState(
        EngineState state,
        Deciders deciders,
        Optional<String> halted,
        Instant purgeAt,
        Optional<TaskStarter.PassInput> idlePass,
        boolean samplesOften) {

    static StepState initial(EngineState state, Deciders deciders) {
        return new StepState(
                state, deciders, Optional.empty(), Instant.MIN, Optional.empty(), false);
    }

    StepState with(EngineState other) {
        return new StepState(other, deciders, halted, purgeAt, idlePass, samplesOften);
    }

    /** The first reason stays. */
    StepState halted(String why) {
        return halted.isPresent()
                ? this
                : new StepState(state, deciders, Optional.of(why), purgeAt, idlePass, samplesOften);
    }

    Optional<WaitReason.Paused> pause() {
        return Pause.of(state, halted);
    }

    /** What a scheduling pass would look at now. */
    Snapshot snapshot(Instant at) {
        return deciders.starter().snapshot(state, pause(), at);
    }

    /** Whether a step at this time has work to do even without a new command. */
    boolean isDue(Instant now) {
        boolean orderChangesWithTime =
                state.waiting().order().dependsOnUsage() && !state.waiting().queues().isEmpty();
        return orderChangesWithTime || !now.isBefore(purgeAt);
    }
}
