package dev.berth.core.queue;

import dev.berth.core.lane.Lane;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;

import java.util.Comparator;

/**
 * Identifies a queue. A blocked queue does not block the others.
 *
 * @param name in the API: auto, cpu, the GPU indices that its tasks name, or the name of a lane
 * @param principal the owner of a named lane, otherwise empty
 */
public record QueueId(Kind kind, String name, String principal) implements Comparable<QueueId> {

    /** In display order. */
    public enum Kind {
        MAIN,
        CPU,
        DEVICES,
        LANE
    }

    /** For tasks whose GPUs Berth selects. */
    public static final QueueId MAIN = new QueueId(Kind.MAIN, "auto", "");

    /** For tasks without a GPU; a separate queue, so that they never wait behind GPU tasks. */
    public static final QueueId CPU = new QueueId(Kind.CPU, "cpu", "");

    private static final Comparator<QueueId> ORDER =
            Comparator.comparing(QueueId::kind)
                    .thenComparing(queue -> queue.name.length())
                    .thenComparing(QueueId::name)
                    .thenComparing(QueueId::principal);

    public static QueueId of(Task task) {
        return task.spec()
                .options()
                .lane()
                .map(lane -> of(lane, task.owner().principal()))
                .orElseGet(() -> of(task.spec().requirements().need()));
    }

    /** The queue of a task that is in no lane. */
    static QueueId of(Need need) {
        return switch (need) {
            case Need.Cpu _ -> CPU;
            case Need.Gpus gpus ->
                    gpus.devices()
                            .map(devices -> new QueueId(Kind.DEVICES, devices.apiName(), ""))
                            .orElse(MAIN);
        };
    }

    private static QueueId of(Lane lane, String principal) {
        return switch (lane) {
            case Lane.Named(String name) -> new QueueId(Kind.LANE, name, principal);
            case Lane.OfFileRun run -> new QueueId(Kind.LANE, run.apiName(), "");
        };
    }

    /** Main queue, CPU queue, queues by GPU indices, lanes. */
    @Override
    public int compareTo(QueueId other) {
        return ORDER.compare(this, other);
    }
}
