package dev.berth.server.api.task;

import dev.berth.core.plan.GpuCapacity;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.AttemptProgress;
import dev.berth.findings.diagnosis.Advice;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.findings.diagnosis.RerunChanges;
import dev.berth.findings.diagnosis.TaskContext;
import dev.berth.http.Sentences;
import dev.berth.json.IsoTime;
import dev.berth.port.read.ConsumptionReader;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskDiagnosis;
import dev.berth.wire.TaskProgress;
import dev.berth.wire.TaskUsage;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Converts progress, diagnosis and GPU usage of an attempt to JSON. */
public final class FindingsJson {

    private static final double MIB_PER_GIB = 1024;
    private static final double MILLIS = 1000;
    private final EngineClient engine;
    private final ConsumptionReader consumptions;

    public FindingsJson(EngineClient engine, ConsumptionReader consumptions) {
        this.engine = engine;
        this.consumptions = consumptions;
    }

    TaskDetail.Findings of(Optional<Attempt> latest, TaskSpec spec) {
        return new TaskDetail.Findings(
                progress(latest), diagnosis(latest, spec), usage(latest, spec));
    }

    Optional<AttemptProgress> pace(Optional<Attempt> latest) {
        return latest.filter(Attempt::isLive)
                .flatMap(attempt -> engine.state().sinceStart().progress().get(attempt.id()));
    }

    private @Nullable TaskProgress progress(Optional<Attempt> latest) {
        return pace(latest).map(pace -> progress(pace, engine.now())).orElse(null);
    }

    private static TaskProgress progress(AttemptProgress pace, Instant now) {
        var progress = pace.progress();
        var perSecond = progress.perSecond();
        return new TaskProgress(
                progress.done(),
                progress.total(),
                progress.percent(),
                progress.unit(),
                perSecond.isPresent() ? (Double) perSecond.getAsDouble() : null,
                progress.timeLeft()
                        .filter(_ -> !pace.isStalled())
                        .map(left -> IsoTime.format(pace.at().plus(left)))
                        .orElse(null),
                progress.line(),
                pace.isStalled() ? (Long) Duration.between(pace.at(), now).toSeconds() : null);
    }

    static Optional<Diagnosis> diagnosis(Optional<Attempt> latest) {
        return latest.flatMap(attempt -> attempt.findings().diagnosis());
    }

    private @Nullable TaskDiagnosis diagnosis(Optional<Attempt> latest, TaskSpec spec) {
        return diagnosis(latest).map(one -> json(one, spec)).orElse(null);
    }

    private TaskDiagnosis json(Diagnosis diagnosis, TaskSpec spec) {
        var most = GpuCapacity.maxMib(engine.state().gpus(), spec.requirements().need());
        var remedy =
                Advice.of(
                        diagnosis,
                        new TaskContext(
                                spec.script().workDir(),
                                spec.script().text().environment(),
                                spec.statedMemoryMib(),
                                most));
        // The code lets the console render the same sentence.
        var params = new TreeMap<>(remedy.params());
        params.put("advice", remedy.code());
        return new TaskDiagnosis(
                diagnosis.cause().code(),
                diagnosis.line(),
                Sentences.advice(remedy.code(), remedy.params()),
                params,
                remedy.rerun().map(FindingsJson::json).orElse(null));
    }

    private static TaskDiagnosis.Redo json(RerunChanges redo) {
        var memory = redo.memoryMib();
        return new TaskDiagnosis.Redo(
                memory.isPresent() ? (Double) (memory.getAsLong() / MIB_PER_GIB) : null,
                redo.environment().isEmpty() ? null : redo.environment());
    }

    private @Nullable TaskUsage usage(Optional<Attempt> latest, TaskSpec spec) {
        return latest.flatMap(attempt -> usage(attempt).map(usage -> json(usage, attempt, spec)))
                .orElse(null);
    }

    private Optional<GpuConsumption> usage(Attempt attempt) {
        return attempt.isLive() ? consumptions.of(attempt.id()) : attempt.findings().consumption();
    }

    private TaskUsage json(GpuConsumption usage, Attempt attempt, TaskSpec spec) {
        var until = attempt.phase() instanceof Phase.Ended(_, _, Instant at) ? at : engine.now();
        var had = Duration.between(attempt.scheduledAt(), until).toMillis() / MILLIS;
        return new TaskUsage(
                usage.peakMib(),
                usage.meanMib(),
                boxed(usage.peakPercent()),
                boxed(usage.meanPercent()),
                usage.measuredTime().toMillis() / MILLIS,
                boxed(spec.statedMemoryMib()),
                had * attempt.claims().size());
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }

    private static @Nullable Integer boxed(OptionalInt value) {
        return value.isPresent() ? (Integer) value.getAsInt() : null;
    }
}
