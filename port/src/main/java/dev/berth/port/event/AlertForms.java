package dev.berth.port.event;

import static dev.berth.port.event.StoredField.constant;
import static dev.berth.port.event.StoredField.indices;
import static dev.berth.port.event.StoredField.number;
import static dev.berth.port.event.StoredField.smallNumber;
import static dev.berth.port.event.StoredField.text;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.task.MachineFault;
import dev.berth.port.event.GpuAlert.GpuFailed;
import dev.berth.port.event.GpuAlert.GpuHandedBack;
import dev.berth.port.event.GpuAlert.GpuQuarantined;
import dev.berth.port.event.GpuAlert.GpuReadable;
import dev.berth.port.event.GpuAlert.GpuRef;
import dev.berth.port.event.GpuAlert.GpuReturned;
import dev.berth.port.event.GpuAlert.GpuUnreadable;
import dev.berth.port.event.GpuAlert.GpuUnrecoverable;
import dev.berth.port.event.NodeAlert.BackupFailed;
import dev.berth.port.event.NodeAlert.DatabaseDamaged;
import dev.berth.port.event.NodeAlert.DiskLow;
import dev.berth.port.event.NodeAlert.DiskRecovered;
import dev.berth.port.event.NodeAlert.GpusReadable;
import dev.berth.port.event.NodeAlert.GpusUnreadable;
import dev.berth.port.event.NodeAlert.NotificationUndelivered;
import dev.berth.port.event.NodeAlert.StartsPaused;
import dev.berth.port.event.NodeAlert.StartsResumed;
import dev.berth.port.event.NodeAlert.StoreUnwritable;
import dev.berth.port.event.NodeAlert.StoreWritable;
import dev.berth.port.event.TaskAlert.CannotStart;
import dev.berth.port.event.TaskAlert.GpuReleaseUnverified;
import dev.berth.port.event.TaskAlert.LeftProcess;
import dev.berth.port.event.TaskAlert.LongWait;
import dev.berth.port.event.TaskAlert.ProcessesLeft;
import dev.berth.port.event.TaskAlert.TaskStalled;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** The stored forms of all alerts. */
final class AlertForms {

    private static final StoredField<Integer> GPU_ID = smallNumber("gpu_id");
    private static final StoredField<String> UUID = text("uuid");
    private static final StoredField<String> ERROR = text("error");
    private static final StoredField<GpuFault.Kind> FAULT = constant("kind", GpuFault.Kind.class);
    private static final StoredField<String> WHY = text("why");
    private static final StoredField<String> WHAT = text("what");
    private static final StoredField<String> REASON = text("reason");
    private static final StoredField<String> NODE = text("node");
    private static final StoredField<Long> FREE_MIB = number("free_mib");
    private static final StoredField<Long> FREE_INODES = number("free_inodes");
    private static final StoredField<MachineFault.Kind> MACHINE_FAULT =
            constant("fault", MachineFault.Kind.class);
    private static final StoredField<Duration> PAUSED = StoredField.seconds("paused_seconds");
    private static final StoredField<Duration> FAILED = StoredField.seconds("failed_seconds");
    private static final StoredField<String> RECEIVER = text("receiver");
    private static final StoredField<String> NAME = text("name");
    private static final StoredField<Integer> TASKS = smallNumber("tasks");
    private static final StoredField<Duration> LIMIT = StoredField.seconds("limit_seconds");
    private static final StoredField<Long> MINUTES = number("minutes");
    private static final StoredField<List<Integer>> GPUS = indices("gpus");

    private static final String ENDED = " (ended)";
    private static final String RUNNING = " (left running)";

    private AlertForms() {}

    static List<PayloadForm<?>> ofNodes() {
        return List.of(
                new PayloadForm<>(
                        "alert.disk_low",
                        DiskLow.class,
                        in -> new DiskLow(in.get(NODE), in.get(FREE_MIB), freeInodes(in)),
                        (it, out) ->
                                put(
                                        it.freeInodes(),
                                        out.put(NODE, it.node()).put(FREE_MIB, it.freeMib()))),
                new PayloadForm<>(
                        "alert.disk_recovered",
                        DiskRecovered.class,
                        in -> new DiskRecovered(in.get(NODE), in.get(FREE_MIB), freeInodes(in)),
                        (it, out) ->
                                put(
                                        it.freeInodes(),
                                        out.put(NODE, it.node()).put(FREE_MIB, it.freeMib()))),
                new PayloadForm<>(
                        "alert.starts_paused",
                        StartsPaused.class,
                        in -> new StartsPaused(in.get(NODE), in.get(MACHINE_FAULT), in.get(WHY)),
                        (it, out) ->
                                out.put(NODE, it.node())
                                        .put(MACHINE_FAULT, it.fault())
                                        .put(WHY, it.why())),
                new PayloadForm<>(
                        "alert.starts_resumed",
                        StartsResumed.class,
                        in -> new StartsResumed(in.get(NODE), in.get(PAUSED)),
                        (it, out) -> out.put(NODE, it.node()).put(PAUSED, it.paused())),
                new PayloadForm<>(
                        "alert.store_unwritable",
                        StoreUnwritable.class,
                        in -> new StoreUnwritable(in.get(WHY)),
                        (it, out) -> out.put(WHY, it.why())),
                new PayloadForm<>(
                        "alert.store_writable",
                        StoreWritable.class,
                        in -> new StoreWritable(in.get(WHY), in.get(FAILED)),
                        (it, out) -> out.put(WHY, it.why()).put(FAILED, it.failedFor())));
    }

    static List<PayloadForm<?>> ofNodeParts() {
        return List.of(
                new PayloadForm<>(
                        "alert.gpus_unreadable",
                        GpusUnreadable.class,
                        in -> new GpusUnreadable(in.get(NODE), in.get(WHY)),
                        (it, out) -> out.put(NODE, it.node()).put(WHY, it.why())),
                new PayloadForm<>(
                        "alert.gpus_readable",
                        GpusReadable.class,
                        in -> new GpusReadable(in.get(NODE)),
                        (it, out) -> out.put(NODE, it.node())),
                new PayloadForm<>(
                        "alert.message_undelivered",
                        NotificationUndelivered.class,
                        in -> new NotificationUndelivered(in.get(RECEIVER), in.get(WHY)),
                        (it, out) -> out.put(RECEIVER, it.receiver()).put(WHY, it.why())),
                new PayloadForm<>(
                        "alert.database_damaged",
                        DatabaseDamaged.class,
                        in -> new DatabaseDamaged(in.get(WHAT)),
                        (it, out) -> out.put(WHAT, it.what())),
                new PayloadForm<>(
                        "alert.backup_failed",
                        BackupFailed.class,
                        in -> new BackupFailed(in.get(WHY)),
                        (it, out) -> out.put(WHY, it.why())));
    }

    /** Absent in events of 0.1.0. */
    private static OptionalLong freeInodes(FieldReader in) {
        return in.find(FREE_INODES).map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    private static void put(OptionalLong freeInodes, FieldWriter out) {
        if (freeInodes.isPresent()) {
            out.put(FREE_INODES, freeInodes.getAsLong());
        }
    }

    static List<PayloadForm<?>> ofGpus() {
        return List.of(
                new PayloadForm<>(
                        "alert.gpu_unreadable",
                        GpuUnreadable.class,
                        in -> new GpuUnreadable(gpu(in), in.get(WHY)),
                        (it, out) -> write(it, out).put(WHY, it.why())),
                new PayloadForm<>(
                        "alert.gpu_readable",
                        GpuReadable.class,
                        in -> new GpuReadable(gpu(in)),
                        AlertForms::write),
                new PayloadForm<>(
                        "alert.gpu_error",
                        GpuFailed.class,
                        in -> new GpuFailed(gpu(in), in.get(FAULT), in.get(ERROR)),
                        (it, out) -> write(it, out).put(FAULT, it.fault()).put(ERROR, it.error())),
                new PayloadForm<>(
                        "alert.gpu_unrecoverable",
                        GpuUnrecoverable.class,
                        in -> new GpuUnrecoverable(gpu(in), in.get(ERROR)),
                        (it, out) -> write(it, out).put(ERROR, it.error())),
                new PayloadForm<>(
                        "alert.gpu_returned",
                        GpuReturned.class,
                        in -> new GpuReturned(gpu(in)),
                        AlertForms::write),
                new PayloadForm<>(
                        "alert.gpu_quarantined",
                        GpuQuarantined.class,
                        in -> new GpuQuarantined(gpu(in), in.get(REASON)),
                        (it, out) -> write(it, out).put(REASON, it.reason())),
                new PayloadForm<>(
                        "alert.gpu_handed_back",
                        GpuHandedBack.class,
                        in -> new GpuHandedBack(gpu(in)),
                        AlertForms::write));
    }

    private static GpuRef gpu(FieldReader in) {
        return new GpuRef(in.get(GPU_ID), in.get(UUID));
    }

    private static FieldWriter write(GpuAlert alert, FieldWriter out) {
        return out.put(GPU_ID, alert.gpu().index()).put(UUID, alert.gpu().uuid());
    }

    static List<PayloadForm<?>> ofTasks() {
        return List.of(
                new PayloadForm<>(
                        "alert.processes_left",
                        ProcessesLeft.class,
                        AlertForms::processesLeft,
                        (it, out) -> it.processes().forEach(process -> write(process, out))),
                new PayloadForm<>(
                        "alert.long_wait",
                        LongWait.class,
                        in -> new LongWait(in.get(NAME), in.get(TASKS), in.get(LIMIT)),
                        (it, out) ->
                                out.put(NAME, it.name())
                                        .put(TASKS, it.tasks())
                                        .put(LIMIT, it.limit())),
                // A word of 0.1.0.
                new PayloadForm<>(
                        "alert.gpu_unproven",
                        GpuReleaseUnverified.class,
                        in -> new GpuReleaseUnverified(in.get(GPUS)),
                        (it, out) -> out.put(GPUS, it.gpus())),
                new PayloadForm<>(
                        "alert.stalled",
                        TaskStalled.class,
                        in -> new TaskStalled(in.get(NAME), in.get(MINUTES)),
                        (it, out) -> out.put(NAME, it.name()).put(MINUTES, it.minutes())),
                new PayloadForm<>(
                        "alert.cannot_start",
                        CannotStart.class,
                        in -> new CannotStart(in.get(NAME), in.get(WHY)),
                        (it, out) -> out.put(NAME, it.name()).put(WHY, it.why())));
    }

    /** The key of each field is the pid of a process. */
    private static ProcessesLeft processesLeft(FieldReader in) {
        return new ProcessesLeft(
                in.texts().entrySet().stream()
                        .map(entry -> process(Long.parseLong(entry.getKey()), entry.getValue()))
                        .toList());
    }

    private static LeftProcess process(long pid, String text) {
        boolean wasEnded = text.endsWith(ENDED);
        if (!wasEnded && !text.endsWith(RUNNING)) {
            throw new IllegalArgumentException("neither ended nor running: " + text);
        }
        int end = text.length() - (wasEnded ? ENDED : RUNNING).length();
        return new LeftProcess(pid, text.substring(0, end), wasEnded);
    }

    private static void write(LeftProcess process, FieldWriter out) {
        out.put(
                text(Long.toString(process.pid())),
                process.program() + (process.wasEnded() ? ENDED : RUNNING));
    }
}
