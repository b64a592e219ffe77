package dev.berth.store;

import dev.berth.port.read.UserUsage;
import dev.berth.port.read.UserUsage.Load;
import dev.berth.port.read.UserUsage.Memory;
import dev.berth.port.read.UserUsage.Tasks;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** GPU time, tasks and waits per user within a period. */
final class UsageSums {

    private static final double MICROS = 1e6;

    private final long from;
    private final long to;
    private final Map<String, Sum> users = new TreeMap<>();

    /** Beginning and end of the period, in microseconds. */
    UsageSums(long from, long to) {
        this.from = from;
        this.to = to;
    }

    private static final class Sum {
        private long tasks;
        private long completed;
        private long failed;
        private long cancelled;
        private double gpuMicros;
        private double percentMicros;
        private double measuredMicros;
        private long attempts;
        private long askedMib;
        private long peakMib;
        private long[] waits = new long[16];
        private int waitCount;

        void addWait(long micros) {
            if (waitCount == waits.length) {
                waits = Arrays.copyOf(waits, 2 * waitCount);
            }
            // A clock that was set back yields negative waits.
            waits[waitCount++] = Math.max(0, micros);
        }

        UserUsage usage(String user) {
            return new UserUsage(
                    user,
                    new Tasks(tasks, completed, failed, cancelled),
                    gpuMicros / MICROS,
                    new Load(percentMicros / MICROS, measuredMicros / MICROS),
                    new Memory(attempts, askedMib, peakMib),
                    Arrays.copyOf(waits, waitCount));
        }
    }

    void add(UsedTask task) {
        boolean isOver = task.finishedAt() <= to;
        boolean hasRun = false;
        for (var attempt : task.attempts()) {
            if (attempt.ranWithin(from, to)) {
                hasRun = true;
                add(sum(task), attempt);
            }
        }
        if (hasRun || (isOver && task.finishedAt() > from)) {
            count(sum(task), isOver ? task.status() : "");
        }
    }

    private Sum sum(UsedTask task) {
        return users.computeIfAbsent(task.owner(), _ -> new Sum());
    }

    private static void count(Sum sum, String status) {
        sum.tasks++;
        switch (status) {
            case "completed" -> sum.completed++;
            case "failed" -> sum.failed++;
            case "cancelled" -> sum.cancelled++;
            default -> {}
        }
    }

    private void add(Sum sum, UsedTask.UsedAttempt attempt) {
        double held =
                attempt.gpus()
                        * (double)
                                (Math.min(attempt.endedAt(), to)
                                        - Math.max(attempt.grantedAt(), from));
        sum.gpuMicros += held;
        if (attempt.percent() != UsedTask.UNKNOWN) {
            sum.percentMicros += held * attempt.percent();
            sum.measuredMicros += held;
        }
        if (attempt.peakMib() != UsedTask.UNKNOWN
                && attempt.endedAt() <= to
                && attempt.askedMib() > 0) {
            sum.attempts++;
            sum.askedMib += attempt.askedMib();
            sum.peakMib += attempt.peakMib();
        }
        if (attempt.waited() != UsedTask.UNKNOWN && attempt.grantedAt() >= from) {
            sum.addWait(attempt.waited());
        }
    }

    /** By name. */
    List<UserUsage> users() {
        return users.entrySet().stream()
                .map(entry -> entry.getValue().usage(entry.getKey()))
                .toList();
    }
}
