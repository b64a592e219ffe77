package dev.berth.engine;

import dev.berth.core.plan.Rules;
import dev.berth.core.progress.Progress;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseMove;
import dev.berth.core.task.Run;
import dev.berth.core.task.Said;
import dev.berth.core.task.StopCause;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Draws the conclusions from what a node saw. */
final class Observing {

    private Observing() {}

    static void decide(Draft draft, Fact fact, Rules rules, Tuning tuning) {
        switch (fact) {
            case Fact.Started(AttemptId id, Run run) ->
                    came(draft, id, run, Event.Kind.ATTEMPT_STARTED);
            case Fact.Windowed(AttemptId id, var window) -> windowed(draft, id, window);
            case Fact.TimeUp(AttemptId id) -> timeUp(draft, id);
            case Fact.Adopted(AttemptId id, Run run) -> adopted(draft, id, run);
            case Fact.Sweeping(AttemptId id) -> told(draft, id);
            case Fact.LostSight(AttemptId id, String why) -> lost(draft, id, why);
            case Fact.Stuck(AttemptId id, String what) -> stuck(draft, id, what);
            case Fact.Spoken(AttemptId id, Said said) -> spoken(draft, id, said);
            case Fact.Ended ended -> {
                live(draft, ended.attempt())
                        .ifPresent(
                                attempt ->
                                        new Concluding(draft, attempt, ended)
                                                .decide(rules, tuning));
                told(draft, ended.attempt());
            }
            case Fact.CardsRead read -> Readings.decide(draft, read);
            case Fact.Progressed(AttemptId id, var progress) -> progressed(draft, id, progress);
            case Fact.Stalled(AttemptId id, Duration standing) -> stalled(draft, id, standing);
            case Fact.CardSick(var card, var kind, String why) ->
                    Faults.sick(draft, card, kind, why);
            case Fact.CardTested tested -> Faults.tested(draft, tested);
            case Fact.DiskSpace space -> diskSpace(draft, space);
            case Fact.Undelivered(String receiver, String why) ->
                    draft.happened(
                            Event.Kind.ALERT_MESSAGE_UNDELIVERED,
                            Map.of("receiver", receiver, "why", why));
        }
    }

    /** An attempt that has ended is final: whatever is said of it afterwards is old news. */
    private static Optional<Attempt> live(Draft draft, AttemptId id) {
        return draft.state().attempts().get(id);
    }

    private static void told(Draft draft, AttemptId id) {
        var watch = draft.state().watch();
        draft.become(draft.state().with(watch.withAwaited(watch.awaited().without(id))));
    }

    private static void came(Draft draft, AttemptId id, Run run, Event.Kind kind) {
        live(draft, id)
                .ifPresent(
                        attempt -> {
                            draft.save(attempt.after(new PhaseMove.Come(run)));
                            draft.happened(
                                    kind,
                                    Owner.BERTH,
                                    id,
                                    Map.of("pid", Long.toString(run.process().pid())));
                        });
    }

    private static void windowed(Draft draft, AttemptId id, Optional<String> window) {
        live(draft, id)
                .ifPresent(
                        attempt ->
                                attempt.phase()
                                        .begun()
                                        .map(run -> new PhaseMove.Come(run.with(window)))
                                        .ifPresent(move -> draft.save(attempt.after(move))));
    }

    /** The first word counts. */
    private static void spoken(Draft draft, AttemptId id, Said said) {
        live(draft, id)
                .filter(attempt -> attempt.said().isEmpty())
                .ifPresent(
                        attempt -> {
                            draft.save(attempt.with(said));
                            var data = new TreeMap<String, String>();
                            data.put("outcome", said.isWell() ? "normal_exit" : "abnormal_exit");
                            said.errorType().ifPresent(type -> data.put("error_type", type));
                            draft.happened(Event.Kind.ATTEMPT_SAID, Owner.BERTH, id, data);
                        });
    }

    private static void progressed(Draft draft, AttemptId id, Progress progress) {
        live(draft, id).ifPresent(_ -> pace(draft, id, new Pace(progress, draft.at(), false)));
    }

    /** Somebody is told, once for each standstill; it goes on. */
    private static void stalled(Draft draft, AttemptId id, Duration standing) {
        live(draft, id)
                .flatMap(_ -> draft.state().watch().paces().get(id))
                .filter(pace -> !pace.isStanding())
                .ifPresent(
                        pace -> {
                            pace(draft, id, pace.standing(draft.at().minus(standing)));
                            var task = draft.state().tasks().get(id.task()).orElseThrow();
                            draft.happened(
                                    Event.Kind.ALERT_STALLED,
                                    Owner.BERTH,
                                    id,
                                    Map.of(
                                            "name", task.spec().name(),
                                            "minutes", Long.toString(standing.toMinutes())));
                        });
    }

    private static void pace(Draft draft, AttemptId id, Pace pace) {
        var watch = draft.state().watch();
        draft.become(draft.state().with(watch.withPaces(watch.paces().with(id, pace))));
    }

    private static void timeUp(Draft draft, AttemptId id) {
        live(draft, id)
                .filter(attempt -> attempt.phase() instanceof Phase.Running)
                .ifPresent(
                        attempt -> {
                            var stop = new PhaseMove.Stop(StopCause.TIMED_OUT, draft.at());
                            draft.save(attempt.after(stop));
                            draft.happened(
                                    Event.Kind.ATTEMPT_STOPPING,
                                    Owner.BERTH,
                                    id,
                                    Map.of("cause", "timed_out"));
                            draft.act(new Effect.Stop(id));
                        });
    }

    private static void adopted(Draft draft, AttemptId id, Run run) {
        came(draft, id, run, Event.Kind.ATTEMPT_ADOPTED);
        told(draft, id);
        resumeStop(draft, id);
    }

    /**
     * The intent was committed before the crash, mostly by a person's word: carry it out now, seen
     * or unseen.
     */
    private static void resumeStop(Draft draft, AttemptId id) {
        live(draft, id)
                .filter(attempt -> isToBeEnded(attempt.phase()))
                .ifPresent(attempt -> draft.act(new Effect.Stop(id)));
    }

    private static void lost(Draft draft, AttemptId id, String why) {
        live(draft, id)
                .ifPresent(
                        attempt -> {
                            draft.save(attempt.after(new PhaseMove.Lose(why)));
                            draft.happened(
                                    Event.Kind.ATTEMPT_LOST, Owner.BERTH, id, Map.of("why", why));
                        });
        told(draft, id);
        resumeStop(draft, id);
    }

    private static void stuck(Draft draft, AttemptId id, String what) {
        live(draft, id)
                .ifPresent(
                        attempt -> {
                            draft.save(attempt.after(new PhaseMove.Stick(what)));
                            draft.happened(
                                    Event.Kind.ATTEMPT_STUCK,
                                    Owner.BERTH,
                                    id,
                                    Map.of("what", what));
                        });
        told(draft, id);
    }

    private static boolean isToBeEnded(Phase phase) {
        return phase.stopCause().filter(cause -> cause != StopCause.LEFTOVERS).isPresent();
    }

    private static void diskSpace(Draft draft, Fact.DiskSpace space) {
        var watch = draft.state().watch();
        draft.become(draft.state().with(watch.withDisk(space.low(), space.freeMib())));
        if (space.low() != watch.diskLow()) {
            draft.happened(
                    space.low() ? Event.Kind.ALERT_DISK_LOW : Event.Kind.ALERT_DISK_RECOVERED,
                    Map.of("node", space.node(), "free_mib", Long.toString(space.freeMib())));
        }
    }
}
