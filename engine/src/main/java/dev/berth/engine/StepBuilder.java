package dev.berth.engine;

import dev.berth.core.plan.WaitReason;
import dev.berth.port.Change;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects the parts of one {@link Step}. Lives only inside one call of {@link Stepper#step}. */
final class StepBuilder {

    private final StepState from;
    private final List<Change> changes = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private final List<EngineReply> replies = new ArrayList<>();
    private final List<Step.Defect> defects = new ArrayList<>();
    private EngineState state;
    private Optional<Deciders> newDeciders = Optional.empty();
    private Optional<String> halted;
    private Instant purgeAt;
    private Optional<TaskStarter.PassInput> idlePass;

    StepBuilder(StepState from) {
        this.from = from;
        this.state = from.state();
        this.halted = from.halted();
        this.purgeAt = from.purgeAt();
        this.idlePass = from.idlePass();
    }

    EngineState state() {
        return state;
    }

    List<Change> changes() {
        return changes;
    }

    /** Those that this step began with: new rules are in force from the next step on. */
    Deciders deciders() {
        return from.deciders();
    }

    /** Those that the next step begins with. */
    Deciders nextDeciders() {
        return newDeciders.orElse(from.deciders());
    }

    boolean hasNewDeciders() {
        return newDeciders.isPresent();
    }

    Optional<TaskStarter.PassInput> idlePass() {
        return idlePass;
    }

    Instant purgeAt() {
        return purgeAt;
    }

    Optional<WaitReason.Paused> pause(EngineState now) {
        return Pause.of(now, halted);
    }

    void accept(Decision decision) {
        state = decision.state();
        changes.addAll(decision.changes());
        effects.addAll(decision.effects());
    }

    void reply(EngineReply reply) {
        replies.add(reply);
    }

    void use(Deciders deciders) {
        newDeciders = Optional.of(deciders);
    }

    void purgeNextAt(Instant at) {
        purgeAt = at;
    }

    void passed(Optional<TaskStarter.PassInput> idle) {
        idlePass = idle;
    }

    /** The first reason stays. */
    void halt(String why) {
        halted = halted.or(() -> Optional.of(why));
    }

    void failed(String what, RuntimeException defect) {
        defects.add(new Step.Defect(what, defect));
    }

    /**
     * The head of a lane goes to the GPU that was least busy in the last second, which takes many
     * readings.
     */
    private boolean samplesOften() {
        return state.waiting().hasStartableLaneHead() && pause(state).isEmpty();
    }

    Step build(Instant due) {
        boolean isOften = samplesOften();
        if (isOften != from.samplesOften()) {
            effects.add(new Effect.SampleOften(isOften));
        }
        // Other rules may find a place where these found none.
        var idle = hasNewDeciders() ? Optional.<TaskStarter.PassInput>empty() : idlePass;
        var next = new StepState(state, nextDeciders(), halted, purgeAt, idle, isOften);
        return new Step(next, changes, effects, replies, defects, due);
    }
}
