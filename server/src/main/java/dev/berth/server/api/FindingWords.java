package dev.berth.server.api;

import dev.berth.core.diagnosis.Advice;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.diagnosis.Redo;
import dev.berth.core.plan.Capacity;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Consumption;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.Pace;
import dev.berth.wire.TaskDiagnosis;
import dev.berth.wire.TaskProgress;
import dev.berth.wire.TaskUsage;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What is found out about an attempt while it runs and when it has ended. */
final class FindingWords {

    private static final double MIB_PER_GIB = 1024;
    private static final double MILLIS = 1000;

    private final Desk desk;

    FindingWords(Desk desk) {
        this.desk = desk;
    }

    Optional<Pace> pace(Optional<Attempt> latest) {
        return latest.filter(Attempt::isLive)
                .flatMap(attempt -> desk.engine().state().watch().paces().get(attempt.id()));
    }

    @Nullable TaskProgress progress(Optional<Attempt> latest) {
        return pace(latest).map(pace -> progress(pace, desk.engine().now())).orElse(null);
    }

    private static TaskProgress progress(Pace pace, Instant now) {
        var progress = pace.progress();
        var perSecond = progress.perSecond();
        return new TaskProgress(
                progress.done(),
                progress.total(),
                progress.percent(),
                progress.unit(),
                perSecond.isPresent() ? (Double) perSecond.getAsDouble() : null,
                progress.left()
                        .filter(_ -> !pace.isStanding())
                        .map(left -> Times.text(pace.at().plus(left)))
                        .orElse(null),
                progress.line(),
                pace.isStanding() ? (Long) Duration.between(pace.at(), now).toSeconds() : null);
    }

    static Optional<Diagnosis> diagnosis(Optional<Attempt> latest) {
        return latest.flatMap(attempt -> attempt.findings().diagnosis());
    }

    @Nullable TaskDiagnosis diagnosis(Optional<Attempt> latest, TaskSpec spec) {
        return diagnosis(latest).map(one -> words(one, spec)).orElse(null);
    }

    private TaskDiagnosis words(Diagnosis diagnosis, TaskSpec spec) {
        var most = Capacity.mostMib(desk.engine().state().cards(), spec.need());
        var remedy = Advice.on(diagnosis, spec, most);
        return new TaskDiagnosis(
                diagnosis.cause().word(),
                diagnosis.line(),
                remedy.advice(),
                diagnosis.params(),
                remedy.redo().map(FindingWords::words).orElse(null));
    }

    private static TaskDiagnosis.Redo words(Redo redo) {
        var memory = redo.memoryMib();
        return new TaskDiagnosis.Redo(
                memory.isPresent() ? (Double) (memory.getAsLong() / MIB_PER_GIB) : null,
                redo.environment().isEmpty() ? null : redo.environment());
    }

    @Nullable TaskUsage usage(Optional<Attempt> latest, TaskSpec spec) {
        return latest.flatMap(attempt -> used(attempt).map(used -> words(used, attempt, spec)))
                .orElse(null);
    }

    private Optional<Consumption> used(Attempt attempt) {
        return attempt.isLive()
                ? desk.consumptions().of(attempt.id())
                : attempt.findings().consumption();
    }

    private TaskUsage words(Consumption used, Attempt attempt, TaskSpec spec) {
        var until =
                attempt.phase() instanceof Phase.Ended(_, _, Instant at) ? at : desk.engine().now();
        var had = Duration.between(attempt.grantedAt(), until).toMillis() / MILLIS;
        return new TaskUsage(
                used.peakMib(),
                used.meanMib(),
                boxed(used.peakPercent()),
                boxed(used.meanPercent()),
                used.watched().toMillis() / MILLIS,
                boxed(spec.statedMib()),
                had * attempt.claims().size());
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }

    private static @Nullable Integer boxed(OptionalInt value) {
        return value.isPresent() ? (Integer) value.getAsInt() : null;
    }
}
