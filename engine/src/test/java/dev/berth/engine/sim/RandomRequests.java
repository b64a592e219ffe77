package dev.berth.engine.sim;

import dev.berth.core.commandfile.Block;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.id.TaskId;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineState;
import dev.berth.port.Fact;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/** Random requests of users about tasks that have not started, files, GPUs and the scheduler. */
final class RandomRequests {

    private static final Owner ANN = Owner.unix("ann");

    private final SplittableRandom random;

    /** The requested changes of each task, acknowledged or not. */
    private final Map<TaskId, Set<TaskSpec>> revised = new HashMap<>();

    RandomRequests(SplittableRandom random) {
        this.random = random;
    }

    EngineCommand.Request next(EngineState state, Instant now) {
        var notStarted = notStarted(state);
        if (notStarted.isEmpty() || random.nextInt(3) == 0) {
            return switch (random.nextInt(11)) {
                case 0 -> new EngineCommand.SwitchScheduler(now, ANN, random.nextInt(3) > 0);
                case 1, 2 -> startFile(now);
                case 6 ->
                        new EngineCommand.QuarantineGpu(
                                now, ANN, random.nextInt(SimGpus.COUNT), "a whim");
                case 8, 9 -> reserve(now);
                case 10 -> new EngineCommand.RemoveReservation(now, ANN, 1 + random.nextInt(4));
                case 7 -> handBack(now, random.nextInt(SimGpus.COUNT));
                case 3 ->
                        new EngineCommand.StopFileRun(
                                now, ANN, 1 + random.nextInt(6), random.nextBoolean());
                default -> submitDrafts(now);
            };
        }
        var task = notStarted.get(random.nextInt(notStarted.size()));
        return switch (random.nextInt(4)) {
            case 0 -> new EngineCommand.StartDraft(now, ANN, task.id(), false);
            case 1 -> revise(task, now);
            default -> new EngineCommand.Enqueue(now, ANN, task.id());
        };
    }

    /** A reservation that began already, or begins soon. */
    private EngineCommand.CreateReservation reserve(Instant now) {
        var holder =
                switch (random.nextInt(3)) {
                    case 0 -> new ReservationHolder.ForUser(random.nextBoolean() ? "ann" : "bob");
                    case 1 -> new ReservationHolder.ForGroup("vision");
                    default -> new ReservationHolder.ForNobody();
                };
        var gpus =
                random.nextInt(3) == 0
                        ? new ReservedGpus.NamedGpus(GpuIndices.of(random.nextInt(SimGpus.COUNT)))
                        : new ReservedGpus.AnyGpus(1 + random.nextInt(SimGpus.COUNT));
        var schedule =
                new Reservation.Schedule(
                        now.plusMillis(random.nextInt(4000) - 2000),
                        Duration.ofMillis(2000L + random.nextInt(5000)),
                        random.nextInt(4) == 0,
                        ZoneOffset.UTC);
        return new EngineCommand.CreateReservation(now, ANN, holder, gpus, schedule, "");
    }

    /** Who is in the group vision now. */
    Fact.GroupsRead groups() {
        var groups = new TreeMap<String, SortedSet<String>>();
        for (var user : List.of("unix:ann", "unix:bob")) {
            groups.put(user, new TreeSet<>(random.nextBoolean() ? List.of("vision") : List.of()));
        }
        return new Fact.GroupsRead(groups);
    }

    EngineCommand.RecoverGpu handBack(Instant now, int card) {
        return new EngineCommand.RecoverGpu(now, ANN, card, random.nextBoolean());
    }

    /** A hardware fault on a random GPU. */
    Fact.GpuFaultFound hardwareFault(EngineState state) {
        var all = state.gpus().values().toList();
        var kinds = GpuFault.Kind.values();
        return new Fact.GpuFaultFound(
                all.get(random.nextInt(all.size())).gpu().id(),
                kinds[random.nextInt(kinds.length)],
                "a sign");
    }

    private static List<Task> notStarted(EngineState state) {
        return state.tasks()
                .values()
                .filter(task -> !(task.state() instanceof TaskState.Running))
                .toList();
    }

    private EngineCommand.Submit submitDrafts(Instant now) {
        var entries = new ArrayList<EngineCommand.NewTask>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            var need = random.nextBoolean() ? Need.CPU : Need.gpus(1 + random.nextInt(3));
            var spec = TaskSpec.of("draft", "true", need, "/tmp");
            entries.add(new EngineCommand.NewTask(ANN, spec, random.nextInt(4) > 0));
        }
        return new EngineCommand.Submit(now, ANN, entries, true, Optional.empty());
    }

    /** One of three files with a few lanes. */
    private EngineCommand.StartFileRun startFile(Instant now) {
        var mode = random.nextBoolean() ? FileMode.SINGLE : FileMode.MULTI;
        var blocks = new ArrayList<Block>();
        int count = 1 + random.nextInt(6);
        for (int line = 1; line <= count; line++) {
            int cards = mode == FileMode.SINGLE ? 1 : 1 + random.nextInt(3);
            blocks.add(
                    new Block(
                            line,
                            random.nextInt(3),
                            List.of("true"),
                            random.nextInt(20_000),
                            Need.GpuCount.of(cards)));
        }
        var request =
                new EngineCommand.FileRunOptions(
                        mode,
                        OptionalInt.empty(),
                        "file " + random.nextInt(3),
                        FileRun.Origin.CONSOLE,
                        Priority.NORMAL,
                        "/tmp");
        return new EngineCommand.StartFileRun(
                now, ANN, request, new CommandFile(mode, blocks, List.of()));
    }

    private EngineCommand.ChangeTask revise(Task task, Instant now) {
        var spec = task.spec();
        var after =
                TaskSpec.of(
                                spec.name() + "'",
                                "true",
                                random.nextBoolean() ? Need.gpus(1) : spec.requirements().need(),
                                spec.script().workDir())
                        .with(spec.script())
                        .with(Priority.values()[random.nextInt(4)])
                        .with(spec.source());
        if (spec.options().lane().isPresent()) {
            after = after.with(spec.options().lane().get(), spec.options().maxRetries());
        }
        revised.computeIfAbsent(task.id(), _ -> new HashSet<>()).add(after);
        return new EngineCommand.ChangeTask(now, ANN, task.id(), spec, after);
    }

    /** True if a user requested this change. */
    boolean wasRequested(TaskId task, TaskSpec spec) {
        return revised.getOrDefault(task, Set.of()).contains(spec);
    }
}
