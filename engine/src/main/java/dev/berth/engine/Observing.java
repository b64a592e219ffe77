package dev.berth.engine;

import dev.berth.core.card.CardState;
import dev.berth.core.line.Usage;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseMove;
import dev.berth.core.task.Run;
import dev.berth.core.task.Said;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskMove;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Draws the conclusions from what a node saw. */
final class Observing {

    private Observing() {}

    static void decide(Draft draft, Fact fact, ModelCache models, Tuning tuning) {
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
            case Fact.Ended ended -> ended(draft, ended, models, tuning);
            case Fact.CardsRead read -> Readings.decide(draft, read);
            case Fact.DiskSpace space -> diskSpace(draft, space);
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

    private static void ended(Draft draft, Fact.Ended fact, ModelCache models, Tuning tuning) {
        var id = fact.attempt();
        live(draft, id)
                .ifPresent(
                        attempt -> {
                            draft.save(attempt.after(new PhaseMove.End(fact.ending(), draft.at())));
                            draft.happened(
                                    Event.Kind.ATTEMPT_ENDED,
                                    Owner.BERTH,
                                    id,
                                    endData(draft, attempt, fact));
                            var left = leftData(fact, isCancelled(attempt.phase()));
                            if (!left.isEmpty()) {
                                draft.happened(
                                        Event.Kind.ALERT_PROCESSES_LEFT, Owner.BERTH, id, left);
                            }
                            var task = draft.state().tasks().get(id.task()).orElseThrow();
                            finish(
                                    draft,
                                    task,
                                    verdict(draft, task, attempt, fact.ending()),
                                    tuning);
                            release(draft, attempt, fact.isOffItsCards());
                            if (!(fact.ending() instanceof Ending.NeverStarted)) {
                                charge(draft, task.owner(), attempt, fact.ending());
                                modelUsed(draft, task, attempt, models);
                            }
                        });
        told(draft, id);
    }

    private static void release(Draft draft, Attempt attempt, boolean isOffItsCards) {
        var watch = draft.state().watch();
        var traffic = watch.cards().released(attempt, draft.at(), isOffItsCards);
        draft.become(draft.state().with(watch.with(traffic)));
    }

    /** What it had of the cards counts for its owner. */
    private static void charge(Draft draft, Owner owner, Attempt attempt, Ending ending) {
        int cards = attempt.claims().size();
        if (cards > 0) {
            // How long it ran before the machine went down, nobody knows.
            var time =
                    ending instanceof Ending.MachineRestarted
                            ? Usage.LEAST
                            : Duration.between(attempt.grantedAt(), draft.at());
            var usage = draft.state().books().usage();
            var account = usage.charged(owner.principal(), cards, time, draft.at());
            draft.save(new Change.UsageSaved(owner.principal(), account));
        }
    }

    /** Its model is on its cards, in use until now. */
    static void modelUsed(Draft draft, Task task, Attempt attempt, ModelCache models) {
        task.spec()
                .work()
                .flatMap(work -> work.model())
                .ifPresent(
                        model -> {
                            var watch = draft.state().watch();
                            var traffic = watch.cards().used(attempt, model, models, draft.at());
                            draft.become(draft.state().with(watch.with(traffic)));
                        });
    }

    private static Map<String, String> endData(Draft draft, Attempt attempt, Fact.Ended fact) {
        var data = new TreeMap<String, String>();
        if (fact.ending() instanceof Ending.Exited(int code)) {
            data.put("exit_code", Integer.toString(code));
        } else {
            data.put("reason", fact.ending().error());
        }
        if (!attempt.claims().isEmpty()) {
            data.put("gpus", draft.state().indices(attempt));
        }
        return data;
    }

    /**
     * What a cancel ended is what was asked for; what a command left behind, or Berth spared, is
     * news.
     */
    private static Map<String, String> leftData(Fact.Ended fact, boolean isCancelled) {
        var data = new TreeMap<String, String>();
        for (var left : fact.leftovers()) {
            if (!left.ended() || !isCancelled) {
                data.put(
                        Long.toString(left.pid()),
                        left.program() + (left.ended() ? " (ended)" : " (left running)"));
            }
        }
        return data;
    }

    private static void finish(Draft draft, Task task, TaskMove verdict, Tuning tuning) {
        var move = retried(draft, task, verdict, tuning);
        var next = task.after(move);
        draft.save(next);
        var kind =
                switch (move) {
                    case TaskMove.Requeue _ -> Event.Kind.TASK_REQUEUED;
                    case TaskMove.Retry _ -> Event.Kind.TASK_RETRIED;
                    case TaskMove.Complete _ -> Event.Kind.TASK_COMPLETED;
                    case TaskMove.Fail _ -> Event.Kind.TASK_FAILED;
                    case TaskMove.Cancel _ -> Event.Kind.TASK_CANCELLED;
                    case TaskMove.Enqueue _, TaskMove.Start _ ->
                            throw new IllegalStateException("an end starts nothing");
                };
        var data = new TreeMap<String, String>();
        if (move instanceof TaskMove.Retry(_, var until)) {
            data.put("retry", Integer.toString(next.retries()));
            until.ifPresent(then -> data.put("not_before", then.toString()));
        }
        draft.happened(kind, Owner.BERTH, task.id(), data);
        RunningFiles.settle(draft, task);
    }

    /** A failure is the end only of what is not tried again. */
    private static TaskMove retried(Draft draft, Task task, TaskMove verdict, Tuning tuning) {
        boolean isRetried =
                verdict instanceof TaskMove.Fail
                        && tuning.triesAgain(task)
                        && RunningFiles.goesOn(draft.state(), task);
        return isRetried
                ? new TaskMove.Retry(
                        draft.at(), tuning.backoff().notBefore(task.retries() + 1, draft.at()))
                : verdict;
    }

    /**
     * What an attempt's end means for its task. A cancel wins over whatever the command made of the
     * signal, and what its own script said over what its shell did.
     */
    private static TaskMove verdict(Draft draft, Task task, Attempt attempt, Ending ending) {
        var cause = stopCause(attempt.phase());
        if (cause.isPresent() && cause.get() == StopCause.CANCELLED) {
            return new TaskMove.Cancel(draft.at());
        }
        if (cause.isPresent()
                && cause.get() == StopCause.CARD_FAILED
                && !(ending instanceof Ending.NeverStarted)) {
            return new TaskMove.Fail(draft.at(), "GPU error: " + cardError(draft, attempt));
        }
        if (cause.isPresent() && cause.get() == StopCause.TIMED_OUT) {
            return new TaskMove.Fail(draft.at(), timeout(task));
        }
        if (attempt.said().isPresent() && !(ending instanceof Ending.NeverStarted)) {
            var said = attempt.said().get();
            return said.isWell()
                    ? new TaskMove.Complete(draft.at())
                    : new TaskMove.Fail(draft.at(), failure(said));
        }
        return switch (ending) {
            case Ending.Exited(int code) when code == 0 -> new TaskMove.Complete(draft.at());
            case Ending.NeverStarted _ -> new TaskMove.Requeue(draft.at());
            case Ending.Exited _,
                    Ending.Vanished _,
                    Ending.MachineRestarted _,
                    Ending.LaunchFailed _,
                    Ending.StartTimedOut _ ->
                    new TaskMove.Fail(draft.at(), ending.error());
        };
    }

    private static String failure(Said said) {
        return "its script reported abnormal_exit"
                + said.errorType().map(type -> " (" + type + ")").orElse("");
    }

    private static String timeout(Task task) {
        return "timeout: ended after its time limit of "
                + task.spec().timeLimit().map(Duration::toSeconds).orElse(0L)
                + " s";
    }

    private static String cardError(Draft draft, Attempt attempt) {
        for (var claim : attempt.claims()) {
            var card = draft.state().cards().get(claim.card());
            if (card.isPresent() && card.get() instanceof CardState.Failed(_, String why)) {
                return why;
            }
        }
        return "the card was gone for a while";
    }

    private static Optional<StopCause> stopCause(Phase phase) {
        return switch (phase) {
            case Phase.Stopping(_, StopCause cause, _) -> Optional.of(cause);
            case Phase.Stuck(_, StopCause cause, _) -> Optional.of(cause);
            case Phase.Starting _, Phase.Running _, Phase.Lost _, Phase.Ended _ -> Optional.empty();
        };
    }

    private static boolean isCancelled(Phase phase) {
        return stopCause(phase).filter(cause -> cause == StopCause.CANCELLED).isPresent();
    }

    private static boolean isToBeEnded(Phase phase) {
        return stopCause(phase).filter(cause -> cause != StopCause.LEFTOVERS).isPresent();
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
