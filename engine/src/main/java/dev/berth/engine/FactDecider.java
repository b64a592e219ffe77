package dev.berth.engine;

import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.StopCause;
import dev.berth.findings.progress.Progress;
import dev.berth.port.Change;
import dev.berth.port.Fact;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.AttemptPayload.AttemptAdopted;
import dev.berth.port.event.AttemptPayload.AttemptStarted;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.TaskAlert;

import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** Decides what a fact from the node means for the state. */
final class FactDecider {

    private FactDecider() {}

    static void decide(
            Decision decision, Fact fact, SchedulingRules rules, AttemptSettings tuning) {
        switch (fact) {
            case Fact.Started(AttemptId id, ShimProcess run) -> started(decision, id, run);
            case Fact.Placed placed -> ClusterDecider.placed(decision, placed);
            case Fact.ClusterWaits waits -> ClusterDecider.waiting(decision, waits);
            case Fact.EndedRunsRead(var earlier) ->
                    decision.setState(
                            decision.state()
                                    .with(
                                            decision.state()
                                                    .sinceStart()
                                                    .learned()
                                                    .withEarlier(earlier)));
            case Fact.WindowChanged(AttemptId id, var window) ->
                    windowChanged(decision, id, window);
            case Fact.TimeLimitReached(AttemptId id) -> timeUp(decision, id);
            case Fact.Adopted(AttemptId id, ShimProcess run) -> adopted(decision, id, run);
            case Fact.EndingProcesses(AttemptId id) -> confirmRecovered(decision, id);
            case Fact.Lost(AttemptId id, String why) -> lost(decision, id, why);
            case Fact.Stuck(AttemptId id, String what) -> stuck(decision, id, what);
            case Fact.ScriptReported(AttemptId id, ScriptReport report) ->
                    reported(decision, id, report);
            case Fact.Ended ended -> {
                ended.report().ifPresent(report -> reported(decision, ended.attempt(), report));
                live(decision, ended.attempt())
                        .ifPresent(attempt -> ended(decision, attempt, ended, rules, tuning));
                confirmRecovered(decision, ended.attempt());
                ClusterDecider.ended(decision, ended.attempt());
            }
            case Fact.WorkerReady(AttemptId id, Duration loadTime) ->
                    new WorkerFactDecider(decision, rules, tuning).ready(id, loadTime);
            case Fact.WorkerFailed failed ->
                    new WorkerFactDecider(decision, rules, tuning).failed(failed);
            case Fact.CallEnded ended ->
                    new WorkerFactDecider(decision, rules, tuning).callEnded(ended);
            case Fact.GpusRead read -> {
                GpuReadingDecider.decide(decision, read);
                if (rules.shares().countsOutside()) {
                    OutsideUse.decide(decision, read.gpus());
                }
            }
            case Fact.GroupsRead(var groups) -> groupsRead(decision, groups);
            case Fact.Progressed(AttemptId id, var progress) -> progressed(decision, id, progress);
            case Fact.Stalled(AttemptId id, Duration standing) -> stalled(decision, id, standing);
            case Fact.GpuFaultFound(var card, var kind, String why) ->
                    GpuFaultDecider.reportFault(decision, card, kind, why);
            case Fact.GpuTested tested -> GpuFaultDecider.testEnded(decision, tested);
            case Fact.DiskSpaceRead space -> diskSpace(decision, space);
            case Fact.StoreRecovered(String why, Duration failedFor) ->
                    decision.addEvent(new NodeAlert.StoreWritable(why, failedFor));
            case Fact.NotificationFailed(String receiver, String why) ->
                    decision.addEvent(new NodeAlert.NotificationUndelivered(receiver, why));
            case Fact.DatabaseDamaged(String what) ->
                    decision.addEvent(new NodeAlert.DatabaseDamaged(what));
            case Fact.BackupFailed(String why) ->
                    decision.addEvent(new NodeAlert.BackupFailed(why));
        }
    }

    private static void groupsRead(
            Decision decision, SortedMap<String, SortedSet<String>> byPrincipal) {
        byPrincipal.forEach(
                (principal, groups) -> {
                    var known = decision.state().durable().groups().byPrincipal().get(principal);
                    if (!known.equals(Optional.of(groups))) {
                        decision.save(new Change.GroupsSaved(principal, groups));
                    }
                });
    }

    private static void ended(
            Decision decision,
            Attempt attempt,
            Fact.Ended fact,
            SchedulingRules rules,
            AttemptSettings tuning) {
        if (attempt.isWorker()) {
            new WorkerFactDecider(decision, rules, tuning).ended(attempt, fact);
        } else {
            new AttemptEndDecider(decision, attempt, fact).decide(rules, tuning);
        }
    }

    /** Empty for an ended attempt: an end is final, later facts about it are ignored. */
    private static Optional<Attempt> live(Decision decision, AttemptId id) {
        return decision.state().attempts().get(id);
    }

    private static void confirmRecovered(Decision decision, AttemptId id) {
        var watch = decision.state().sinceStart();
        decision.setState(
                decision.state().with(watch.withUnrecovered(watch.unrecovered().without(id))));
    }

    static void started(Decision decision, AttemptId id, ShimProcess run) {
        started(decision, id, run, new AttemptStarted(run.key().pid()));
    }

    private static void started(
            Decision decision, AttemptId id, ShimProcess run, EventPayload payload) {
        live(decision, id)
                .ifPresent(
                        attempt -> {
                            decision.save(attempt.after(new PhaseTransition.SeenAlive(run)));
                            decision.addEvent(Owner.BERTH, id, payload);
                            LaunchFaultDecider.started(decision, attempt);
                            ContactDecider.found(decision, attempt);
                        });
    }

    private static void windowChanged(Decision decision, AttemptId id, Optional<String> window) {
        live(decision, id)
                .ifPresent(
                        attempt ->
                                attempt.phase()
                                        .shimProcess()
                                        .map(run -> new PhaseTransition.SeenAlive(run.with(window)))
                                        .ifPresent(move -> decision.save(attempt.after(move))));
    }

    /** The first report of an attempt counts. */
    private static void reported(Decision decision, AttemptId id, ScriptReport report) {
        live(decision, id)
                .filter(attempt -> attempt.scriptReport().isEmpty())
                .ifPresent(
                        attempt -> {
                            decision.save(attempt.with(report));
                            decision.addEvent(
                                    Owner.BERTH,
                                    id,
                                    new AttemptPayload.ScriptReported(
                                            report.isSuccess(), report.errorType()));
                        });
    }

    private static void progressed(Decision decision, AttemptId id, Progress progress) {
        live(decision, id)
                .ifPresent(
                        _ ->
                                saveProgress(
                                        decision,
                                        id,
                                        new AttemptProgress(progress, decision.at(), false)));
    }

    /** One alert per stall; the attempt goes on. */
    private static void stalled(Decision decision, AttemptId id, Duration standing) {
        live(decision, id)
                .flatMap(_ -> decision.state().sinceStart().progress().get(id))
                .filter(pace -> !pace.isStalled())
                .ifPresent(
                        pace -> {
                            saveProgress(decision, id, pace.stalled(decision.at().minus(standing)));
                            var task = decision.state().tasks().get(id.task()).orElseThrow();
                            decision.addEvent(
                                    Owner.BERTH,
                                    id,
                                    new TaskAlert.TaskStalled(
                                            task.spec().name(), standing.toMinutes()));
                        });
    }

    private static void saveProgress(Decision decision, AttemptId id, AttemptProgress pace) {
        var watch = decision.state().sinceStart();
        decision.setState(
                decision.state().with(watch.withProgress(watch.progress().with(id, pace))));
    }

    private static void timeUp(Decision decision, AttemptId id) {
        live(decision, id)
                .filter(attempt -> attempt.phase() instanceof Phase.Running)
                .ifPresent(
                        attempt -> {
                            var stop = new PhaseTransition.Stop(StopCause.TIMED_OUT, decision.at());
                            decision.save(attempt.after(stop));
                            decision.addEvent(
                                    Owner.BERTH,
                                    id,
                                    new AttemptPayload.AttemptStopping(StopCause.TIMED_OUT));
                            decision.addEffect(new Effect.Stop(id));
                        });
    }

    private static void adopted(Decision decision, AttemptId id, ShimProcess run) {
        started(decision, id, run, new AttemptAdopted(run.key().pid()));
        confirmRecovered(decision, id);
        resumeStop(decision, id);
    }

    /**
     * The stop was committed before the crash, mostly at a person's request: carry it out now, even
     * if the attempt is lost.
     */
    private static void resumeStop(Decision decision, AttemptId id) {
        live(decision, id)
                .filter(attempt -> isStopRequested(attempt.phase()))
                .ifPresent(attempt -> decision.addEffect(new Effect.Stop(id)));
    }

    private static void lost(Decision decision, AttemptId id, String why) {
        WorkerDecider.lost(decision, id);
        boolean isFirstAnswer = decision.state().sinceStart().unrecovered().contains(id);
        live(decision, id)
                .ifPresent(
                        attempt ->
                                ContactDecider.lose(
                                        decision, attempt, new PhaseTransition.LoseContact(why)));
        confirmRecovered(decision, id);
        if (isFirstAnswer) {
            // Later the node tries again by itself.
            resumeStop(decision, id);
        }
    }

    private static void stuck(Decision decision, AttemptId id, String what) {
        WorkerDecider.lost(decision, id);
        live(decision, id)
                .ifPresent(
                        attempt ->
                                ContactDecider.lose(
                                        decision, attempt, new PhaseTransition.GetStuck(what)));
        confirmRecovered(decision, id);
    }

    private static boolean isStopRequested(Phase phase) {
        return phase.stopCause().filter(cause -> cause != StopCause.LEFTOVERS).isPresent();
    }

    /** A launch that found the disk full may have raised the alert before. */
    private static void diskSpace(Decision decision, Fact.DiskSpaceRead space) {
        var watch = decision.state().sinceStart();
        boolean isKnown =
                watch.launchFaults()
                        .episode()
                        .filter(one -> one.fault().kind() == MachineFault.Kind.DISK_FULL)
                        .isPresent();
        boolean isReported = space.isLow() && (watch.disk().isReported() || !isKnown);
        decision.setState(
                decision.state()
                        .with(
                                watch.with(
                                        new DiskSpaceState(
                                                space.isLow(),
                                                space.freeMib(),
                                                space.freeInodes(),
                                                isReported))));
        if (isReported && !watch.disk().isReported()) {
            decision.addEvent(
                    new NodeAlert.DiskLow(space.node(), space.freeMib(), space.freeInodes()));
        } else if (!space.isLow() && watch.disk().isReported()) {
            decision.addEvent(
                    new NodeAlert.DiskRecovered(space.node(), space.freeMib(), space.freeInodes()));
        }
    }
}
