package dev.berth.testkit.sim;

import dev.berth.core.card.Fault;
import dev.berth.core.lane.Block;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.Mode;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.Command;
import dev.berth.engine.State;
import dev.berth.engine.port.Fact;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;

/** What people do with tasks that have not started, at any moment and in any order. */
final class Whims {

    private static final Owner ANN = Owner.unix("ann");

    private final SplittableRandom random;

    /** What each task may have become, whether or not anybody was told that it did. */
    private final Map<TaskId, Set<TaskSpec>> revised = new HashMap<>();

    Whims(SplittableRandom random) {
        this.random = random;
    }

    Command.Request next(State state, Instant now) {
        var unstarted = unstarted(state);
        if (unstarted.isEmpty() || random.nextInt(3) == 0) {
            return switch (random.nextInt(8)) {
                case 0 -> new Command.Schedule(now, ANN, random.nextInt(3) > 0);
                case 1, 2 -> file(now);
                case 6 -> new Command.TakeOut(now, ANN, random.nextInt(SimCards.COUNT), "a whim");
                case 7 -> handBack(now, random.nextInt(SimCards.COUNT));
                case 3 ->
                        new Command.StopRun(now, ANN, 1 + random.nextInt(6), random.nextBoolean());
                default -> drafts(now);
            };
        }
        var task = unstarted.get(random.nextInt(unstarted.size()));
        return switch (random.nextInt(4)) {
            case 0 -> new Command.Start(now, ANN, task.id(), false);
            case 1 -> revise(task, now);
            default -> new Command.Enqueue(now, ANN, task.id());
        };
    }

    Command.HandBack handBack(Instant now, int card) {
        return new Command.HandBack(now, ANN, card, random.nextBoolean());
    }

    /** What a node's hardware may say of any card at any moment. */
    Fact.CardSick sick(State state) {
        var all = state.cards().values().toList();
        var kinds = Fault.Kind.values();
        return new Fact.CardSick(
                all.get(random.nextInt(all.size())).card().id(),
                kinds[random.nextInt(kinds.length)],
                "a sign");
    }

    private static List<Task> unstarted(State state) {
        return state.tasks()
                .values()
                .filter(task -> !(task.state() instanceof TaskState.Running))
                .toList();
    }

    private Command.Submit drafts(Instant now) {
        var entries = new ArrayList<Command.Entry>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            var need = random.nextBoolean() ? Need.CPU : Need.cards(1 + random.nextInt(3));
            var spec = TaskSpec.of("draft", "true", need, "/tmp");
            entries.add(new Command.Entry(ANN, spec, random.nextInt(4) > 0));
        }
        return new Command.Submit(now, ANN, entries, true, Optional.empty());
    }

    /** One of a few files, each with a few lanes. */
    private Command.StartRun file(Instant now) {
        var mode = random.nextBoolean() ? Mode.SINGLE : Mode.MULTI;
        var blocks = new ArrayList<Block>();
        int count = 1 + random.nextInt(6);
        for (int line = 1; line <= count; line++) {
            int cards = mode == Mode.SINGLE ? 1 : 1 + random.nextInt(3);
            blocks.add(
                    new Block(
                            line,
                            random.nextInt(3),
                            List.of("true"),
                            random.nextInt(20_000),
                            Need.Count.of(cards)));
        }
        var form =
                new Command.RunForm(
                        mode,
                        OptionalInt.empty(),
                        "file " + random.nextInt(3),
                        LaneRun.Origin.CONSOLE,
                        Priority.NORMAL,
                        "/tmp");
        return new Command.StartRun(now, ANN, form, blocks);
    }

    private Command.Revise revise(Task task, Instant now) {
        var spec = task.spec();
        var after =
                TaskSpec.of(
                                spec.name() + "'",
                                spec.command(),
                                random.nextBoolean() ? Need.cards(1) : spec.need(),
                                spec.workDir())
                        .with(Priority.values()[random.nextInt(4)])
                        .from(spec.source());
        if (spec.lane().isPresent()) {
            after = after.with(spec.lane().get(), spec.mostRetries());
        }
        revised.computeIfAbsent(task.id(), _ -> new HashSet<>()).add(after);
        return new Command.Revise(now, ANN, task.id(), spec, after);
    }

    /** Whether somebody asked for the task to become this. */
    boolean isAsked(TaskId task, TaskSpec spec) {
        return revised.getOrDefault(task, Set.of()).contains(spec);
    }
}
