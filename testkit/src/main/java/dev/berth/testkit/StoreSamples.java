package dev.berth.testkit;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Requirements;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskStore;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;
import dev.berth.port.read.TaskQueries.TaskRecord;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Sample tasks, attempts and events for the store contracts, including extreme values. */
final class StoreSamples {

    static final Instant NOON = Instant.parse("2031-05-06T12:00:00.123456Z");
    static final Owner ALICE = Owner.unix("alice");
    static final GpuId CARD = new GpuId("host-a", "GPU-1");
    static final GpuId OTHER_CARD = new GpuId("host-a", "GPU-2");
    static final ShimProcess RUN =
            new ShimProcess(new ProcessKey("boot-1", 4_194_304, 9_876_543_210L), at(3));
    static final String ODD_TEXT =
            """
            emoji 🦈, 中文, ü, "double" 'single' \\back\\ %s ${X} {"a":"b"}
            \ttab\r
            line \u001b[31m;--\
            """;

    private StoreSamples() {}

    static Stream<Task> tasks() {
        var spec = spec(Need.CPU);
        return Stream.of(
                task(1),
                task(2, new TaskState.Running(1)),
                task(3, new TaskState.Completed(at(9))),
                task(4, new TaskState.Failed(at(9), "exit code 1")),
                task(5, new TaskState.Failed(at(9), ODD_TEXT)),
                task(6, new TaskState.Failed(at(9), "")),
                task(7, new TaskState.Cancelled(at(9))),
                task(8, spec(Need.gpus(1))),
                task(
                        9,
                        spec(
                                new Need.Gpus(
                                        Need.GpuCount.of(8),
                                        Optional.of("NVIDIA H200"),
                                        Need.GpuMemory.of(143_771)))),
                task(
                        10,
                        spec(
                                new Need.Gpus(
                                        new Need.GpuCount(2, 5),
                                        Optional.empty(),
                                        Need.GpuMemory.shared(0)))),
                task(
                        11,
                        spec(
                                Need.Gpus.on(
                                        GpuIndices.of(10, 2),
                                        Optional.of(""),
                                        Need.GpuMemory.UNSTATED))),
                Task.draft(id(20), ALICE, spec, at(1)),
                task(21, spec.with(new ModelWork(Optional.of("m"), Optional.empty(), 0))),
                task(44, spec.with(new ModelWork(Optional.of("m"), Optional.of("s"), 0, true))),
                task(22, spec.with(new ModelWork(Optional.empty(), Optional.of("s"), 7))),
                task(23, spec.with(Duration.ofHours(24))),
                task(12, spec.with(Priority.CRITICAL)),
                task(13, spec.with(Priority.HIGH)),
                task(14, spec.with(Priority.LOW)),
                task(
                        15,
                        spec(
                                ODD_TEXT,
                                ODD_TEXT,
                                Map.of(ODD_TEXT, ODD_TEXT, "EMPTY", "", "", "nameless"))),
                task(16, spec("", "", Map.of())),
                task(
                        17,
                        spec(
                                "long",
                                "echo é🦈;".repeat(100_000),
                                Map.of("LONG", "x\n".repeat(50_000)))),
                new Task(
                        id(Long.MAX_VALUE),
                        new Owner(ODD_TEXT, ""),
                        spec,
                        Instant.EPOCH,
                        Optional.of(Instant.EPOCH),
                        new TaskState.Queued(),
                        0,
                        0,
                        Optional.empty()),
                task(24, spec.with(new Lane.Named("sweep"), OptionalInt.of(1000))),
                task(25, spec.with(new Lane.OfFileRun(7, 0, false), OptionalInt.empty())),
                task(
                        26,
                        spec.with(
                                new Lane.OfFileRun(Long.MAX_VALUE, Integer.MAX_VALUE, 99_999, true),
                                OptionalInt.of(0))),
                new Task(
                        id(19),
                        ALICE,
                        spec,
                        at(-5),
                        Optional.of(at(-4)),
                        new TaskState.Queued(),
                        Integer.MAX_VALUE,
                        Integer.MAX_VALUE,
                        Optional.of(at(600))));
    }

    static Stream<Phase> phases() {
        var some = Optional.of(RUN);
        var none = Optional.<ShimProcess>empty();
        return Stream.of(
                new Phase.Starting(),
                new Phase.Running(RUN),
                new Phase.Stopping(some, StopCause.CANCELLED, at(4)),
                new Phase.Stopping(none, StopCause.LEFTOVERS, at(4)),
                new Phase.Stopping(some, StopCause.CARD_FAILED, at(4)),
                new Phase.Stopping(some, StopCause.TIMED_OUT, at(4)),
                new Phase.Stopping(some, StopCause.SAID_OVER, at(4)),
                new Phase.Lost(some, "the node does not answer"),
                new Phase.Lost(none, ODD_TEXT),
                new Phase.Stuck(some, StopCause.CANCELLED, "pid 7 (D)"),
                new Phase.Stuck(none, StopCause.LEFTOVERS, ""),
                new Phase.Ended(some, new Ending.Exited(0), at(5)),
                new Phase.Ended(some, new Ending.Exited(255), at(5)),
                new Phase.Ended(some, new Ending.Vanished(), at(5)),
                new Phase.Ended(some, new Ending.Vanished("its directory was deleted"), at(5)),
                new Phase.Ended(some, new Ending.MachineRestarted(), at(5)),
                new Phase.Ended(none, new Ending.NeverStarted(), at(5)),
                new Phase.Ended(none, new Ending.LaunchFailed(ODD_TEXT), at(5)),
                new Phase.Ended(none, new Ending.LaunchFailed(""), at(5)),
                new Phase.Ended(
                        none,
                        new Ending.NotLaunched(
                                new MachineFault(MachineFault.Kind.DISK_FULL, ODD_TEXT)),
                        at(5)),
                new Phase.Ended(some, new Ending.CallFailed("OOM", ODD_TEXT), at(5)),
                new Phase.Ended(none, new Ending.StartTimedOut("late"), at(5)));
    }

    static void save(TaskStore store, Change... changes) throws StoreFailure {
        store.commit(List.of(changes));
    }

    static TaskId id(long value) {
        return new TaskId(value);
    }

    static Instant at(int seconds) {
        return NOON.plusSeconds(seconds);
    }

    static Page page(int limit, long before) {
        return new Page(
                OptionalInt.of(limit), before == 0 ? Optional.empty() : Optional.of(id(before)));
    }

    static Filter status(String word) {
        return new Filter(Optional.of(word), Optional.empty());
    }

    static List<Long> ids(List<TaskRecord> records) {
        return records.stream().map(record -> record.task().id().value()).toList();
    }

    static List<Long> seqs(List<Event> events) {
        return events.stream().map(Event::seq).toList();
    }

    static TaskSpec spec(Need need) {
        return TaskSpec.of("train", "python train.py\n", need, "/home/alice");
    }

    static TaskSpec spec(String name, String command, Map<String, String> environment) {
        return new TaskSpec(
                name,
                TaskSource.API,
                new Script.Text(command, "/srv/" + name, new TreeMap<>(environment)),
                Requirements.of(Need.CPU),
                TaskOptions.DEFAULT);
    }

    static Task task(long id) {
        return task(id, spec(Need.CPU));
    }

    static Task task(long id, TaskSpec spec) {
        return Task.queued(id(id), ALICE, spec, NOON.plusNanos(id * 1000));
    }

    static Task task(long id, TaskState state) {
        return task(id, spec(Need.CPU), state);
    }

    static Task task(long id, TaskSpec spec, TaskState state) {
        var at = NOON.plusNanos(id * 1000);
        return new Task(id(id), ALICE, spec, at, Optional.of(at), state, 0, 0, Optional.empty());
    }

    /** A running task whose current attempt is {@code number}. */
    static Task granted(long id, int number) {
        var task = task(id);
        return new Task(
                task.id(),
                ALICE,
                task.spec(),
                task.createdAt(),
                task.queuedAt(),
                new TaskState.Running(number),
                number,
                number - 1,
                Optional.empty());
    }

    static Attempt attempt(long task, int number, Phase phase, Claim... claims) {
        var id = new AttemptId(id(task), number);
        return new Attempt(
                id, "host-a", 1, "boot-1", new ArrayList<>(List.of(claims)), at(2), phase);
    }

    static Phase ended() {
        return new Phase.Ended(Optional.of(RUN), new Ending.Exited(0), at(5));
    }

    static Change saved(Task task) {
        return new Change.TaskSaved(task);
    }

    static Change saved(Attempt attempt) {
        return new Change.AttemptSaved(attempt);
    }

    static Change event(long seq) {
        return event(seq, new TaskPayload.TaskSubmitted("train", Priority.NORMAL));
    }

    static Change event(long seq, EventPayload payload) {
        return new Change.EventAdded(
                new Event(seq, at(1), ALICE, Optional.of(id(1)), Optional.empty(), payload));
    }
}
