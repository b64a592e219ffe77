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
        return AlertLevel.WARNING;
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

    /** The task makes no progress. */
    record TaskStalled(String name, long minutes) implements TaskAlert {}
}
