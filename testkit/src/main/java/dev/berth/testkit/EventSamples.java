package dev.berth.testkit;

import static dev.berth.testkit.StoreSamples.ODD_TEXT;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.id.TaskRanges;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.Priority;
import dev.berth.core.task.StopCause;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.port.event.AccessPayload;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.FileRunPayload;
import dev.berth.port.event.GpuAlert;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.ServerPayload;
import dev.berth.port.event.TaskAlert;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.event.UnknownPayload;
import dev.berth.port.event.WorkerPayload;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Payloads of every type, with and without their optional fields. */
public final class EventSamples {

    private static final GpuAlert.GpuRef GPU = new GpuAlert.GpuRef(3, "GPU-3");

    private EventSamples() {}

    public static List<EventPayload> all() {
        return Stream.of(
                        ofServer(),
                        ofTasks(),
                        ofAttempts(),
                        ofFileRuns(),
                        ofWorkers(),
                        alerts(),
                        List.of(
                                new UnknownPayload("task.teleported", new TreeMap<>()),
                                new UnknownPayload(
                                        "attempt.ended",
                                        new TreeMap<>(Map.of(ODD_TEXT, ODD_TEXT, "free", "")))))
                .<EventPayload>flatMap(List::stream)
                .toList();
    }

    private static List<EventPayload> ofServer() {
        var token = new ServerPayload.TokenRef(new TokenId(4), Token.Kind.TOKEN, ODD_TEXT, "ann");
        return List.of(
                new ServerPayload.ServerStarted(7),
                new ServerPayload.RulesChanged(Optional.empty()),
                new ServerPayload.RulesChanged(
                        Optional.of(new ServerPayload.KeyChange("gpu_left", "0", ODD_TEXT))),
                new AccessPayload.LoggedIn(token),
                new AccessPayload.LoggedOut(token),
                new AccessPayload.LoginFailed("192.0.2.7", 3),
                new AccessPayload.LogRead(),
                new ServerPayload.SchedulerStarted(),
                new ServerPayload.SchedulerStopped(),
                new ServerPayload.LearnedForgotten("1f", ODD_TEXT, "ann", 1),
                new ServerPayload.LearnedForgotten("all", "", "", 0),
                new ServerPayload.TokenCreated(token),
                new ServerPayload.TokenRevoked(token));
    }

    private static List<EventPayload> ofTasks() {
        return List.of(
                new TaskPayload.TaskSubmitted(ODD_TEXT, Priority.CRITICAL),
                new TaskPayload.TaskDrafted("", Priority.LOW),
                new TaskPayload.TaskQueued(),
                new TaskPayload.TaskChanged(List.of()),
                new TaskPayload.TaskChanged(List.of("name", "time limit")),
                new TaskPayload.TaskRequeued(),
                new TaskPayload.TasksRemoved(TaskRanges.parse("1-480,483")),
                new TaskPayload.TaskRetried(1, Optional.empty(), OptionalLong.empty()),
                new TaskPayload.TaskRetried(
                        2,
                        Optional.of(Instant.parse("2026-11-16T02:07:02.200428Z")),
                        OptionalLong.of(21_600)),
                new TaskPayload.TaskCompleted(),
                new TaskPayload.TaskFailed(),
                new TaskPayload.TaskCancelled(),
                new TaskPayload.EstimateRaised(ODD_TEXT, 8000, 9600));
    }

    private static List<EventPayload> ofAttempts() {
        var stops =
                Arrays.stream(StopCause.values())
                        .<EventPayload>map(AttemptPayload.AttemptStopping::new);
        return Stream.concat(
                        stops,
                        Stream.of(
                                new AttemptPayload.AttemptScheduled(
                                        List.of(), Duration.ZERO, false, false, Optional.empty()),
                                new AttemptPayload.AttemptScheduled(
                                        List.of(0, 11),
                                        Duration.ofMillis(1234),
                                        true,
                                        true,
                                        Optional.of("7/0")),
                                new AttemptPayload.AttemptStarted(4711),
                                new AttemptPayload.AttemptAdopted(4711),
                                new AttemptPayload.AttemptLost(ODD_TEXT),
                                new AttemptPayload.AttemptStuck(ODD_TEXT),
                                new AttemptPayload.AttemptResolved(
                                        "ended", false, OptionalLong.empty()),
                                new AttemptPayload.AttemptResolved(
                                        "running", true, OptionalLong.of(4711)),
                                new AttemptPayload.ScriptReported(true, Optional.empty()),
                                new AttemptPayload.ScriptReported(false, Optional.of("oom")),
                                new AttemptPayload.AttemptEnded(
                                        OptionalInt.of(0),
                                        Optional.empty(),
                                        Optional.empty(),
                                        List.of()),
                                new AttemptPayload.AttemptEnded(
                                        OptionalInt.empty(),
                                        Optional.of(ODD_TEXT),
                                        Optional.of(Cause.GPU_HARDWARE),
                                        List.of(1, 2))))
                .toList();
    }

    private static List<EventPayload> ofWorkers() {
        return List.of(
                new WorkerPayload.WorkerLoading("mace", 1),
                new WorkerPayload.WorkerReady("mace", 1, Duration.ofMillis(3146)),
                new WorkerPayload.WorkerUnloading("mace", 1, ODD_TEXT),
                new WorkerPayload.WorkerEnded("mace", 1, ODD_TEXT),
                new WorkerPayload.WorkerEnded("mace", 1, ""),
                new WorkerPayload.ModelSaved("mace"),
                new WorkerPayload.ModelRemoved("mace"));
    }

    private static List<EventPayload> ofFileRuns() {
        return List.of(
                new FileRunPayload.FileRunStarted(3, FileMode.MULTI, ODD_TEXT, 12),
                new FileRunPayload.FileRunStopping(3, FileMode.SINGLE, ODD_TEXT),
                new FileRunPayload.FileRunEnded(3, true),
                new FileRunPayload.FileRunEnded(3, false));
    }

    /** Every type of alert. */
    public static List<EventPayload> alerts() {
        return List.of(
                new NodeAlert.DiskLow("here", 5, OptionalLong.of(12)),
                new NodeAlert.DiskRecovered("here", 50_000, OptionalLong.of(900)),
                new NodeAlert.StartsPaused("here", MachineFault.Kind.DISK_FULL, "no space"),
                new NodeAlert.StartsResumed("here", Duration.ofSeconds(7)),
                new NodeAlert.StoreUnwritable("disk I/O error"),
                new NodeAlert.StoreWritable("disk full", Duration.ofSeconds(9)),
                new TaskAlert.CannotStart("x", "no permission"),
                new NodeAlert.DatabaseDamaged("the row id=7 does not match its checksum"),
                new NodeAlert.BackupFailed("disk space is low"),
                new NodeAlert.WorkerOffline("mace", 1, "has not answered for 30 s"),
                new NodeAlert.ModelSetAside("mace", ODD_TEXT),
                new NodeAlert.GpusUnreadable("here", ODD_TEXT),
                new NodeAlert.GpusReadable("here"),
                new NodeAlert.NotificationUndelivered("lab", ODD_TEXT),
                new GpuAlert.GpuFailed(GPU, GpuFault.Kind.XID, "Xid 79"),
                new GpuAlert.GpuUnrecoverable(GPU, ODD_TEXT),
                new GpuAlert.GpuUnreadable(GPU, ODD_TEXT),
                new GpuAlert.GpuReadable(GPU),
                new GpuAlert.GpuReturned(GPU),
                new GpuAlert.GpuQuarantined(GPU, "a fan"),
                new GpuAlert.GpuHandedBack(GPU),
                new TaskAlert.GpuReleaseUnverified(List.of(0, 1)),
                new TaskAlert.ProcessesLeft(
                        List.of(
                                new TaskAlert.LeftProcess(9, "python (ended)", true),
                                new TaskAlert.LeftProcess(10, ODD_TEXT, false))),
                new TaskAlert.LongWait("2024", 5, Duration.ofHours(2)),
                new TaskAlert.TaskStalled("train", 12),
                new TaskAlert.AttemptUnobservable("train", ODD_TEXT, List.of(0, 1)),
                new TaskAlert.AttemptUnstoppable("train", ODD_TEXT, List.of()),
                new TaskAlert.AttemptFound("train"),
                new TaskAlert.AttemptReleased("train", List.of(3)));
    }
}
