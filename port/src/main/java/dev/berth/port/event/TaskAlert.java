package dev.berth.port.event;

import dev.berth.core.AlertLevel;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;

/** Alerts about a task. */
public sealed interface TaskAlert extends AlertPayload {

    @Override
    default AlertLevel alertLevel() {
        return switch (this) {
            case GpuReleaseUnverified _,
                    ProcessesLeft _,
                    LongWait _,
                    TaskStalled _,
                    CannotStart _,
                    AttemptUnobservable _,
                    AttemptUnstoppable _ ->
                    AlertLevel.WARNING;
            case AttemptFound _, AttemptReleased _ -> AlertLevel.INFO;
        };
    }

    /**
     * The GPUs are in use again although it could not be verified that the task released them.
     *
     * @param gpus indices
     */
    record GpuReleaseUnverified(List<Integer> gpus) implements TaskAlert {
        public GpuReleaseUnverified {
            gpus = List.copyOf(gpus);
        }
    }

    /** Processes outlived the command of the attempt. */
    record ProcessesLeft(List<LeftProcess> processes) implements TaskAlert {
        public ProcessesLeft {
            processes =
                    processes.stream()
                            .sorted(Comparator.comparing(one -> Long.toString(one.pid())))
                            .toList();
        }
    }

    /**
     * @param wasEnded false if it still runs
     */
    record LeftProcess(long pid, String program, boolean wasEnded) {}

    /**
     * @param name the name of the task that has waited longest
     * @param tasks the number of tasks over the limit
     */
    record LongWait(String name, int tasks, Duration limit) implements TaskAlert {
        public LongWait {
            limit = limit.truncatedTo(ChronoUnit.SECONDS);
        }
    }

    /** The machine cannot start this task although it starts others. */
    record CannotStart(String name, String why) implements TaskAlert {}

    /** The task makes no progress. */
    record TaskStalled(String name, long minutes) implements TaskAlert {}

    /**
     * Its attempt is lost: Berth cannot find out whether it runs.
     *
     * @param gpus indices of the GPUs that it holds
     */
    record AttemptUnobservable(String name, String why, List<Integer> gpus) implements TaskAlert {
        public AttemptUnobservable {
            gpus = List.copyOf(gpus);
        }
    }

    /**
     * Its attempt is stuck: it cannot be ended.
     *
     * @param gpus indices of the GPUs that it holds
     */
    record AttemptUnstoppable(String name, String why, List<Integer> gpus) implements TaskAlert {
        public AttemptUnstoppable {
            gpus = List.copyOf(gpus);
        }
    }

    /** The lost attempt is in sight again, and runs. */
    record AttemptFound(String name) implements TaskAlert {}

    /** The lost or stuck attempt is over; its GPUs are released. */
    record AttemptReleased(String name, List<Integer> gpus) implements TaskAlert {
        public AttemptReleased {
            gpus = List.copyOf(gpus);
        }
    }
}
