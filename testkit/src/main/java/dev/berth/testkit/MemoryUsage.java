package dev.berth.testkit;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.port.read.UserUsage;
import dev.berth.port.read.UserUsage.Load;
import dev.berth.port.read.UserUsage.Memory;
import dev.berth.port.read.UserUsage.Tasks;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Computes the usage of each user within a period, task by task. */
final class MemoryUsage {

    private static final double NANOS = 1e9;

    private final Instant from;
    private final Instant to;
    private final SortedMap<String, UserUsage> users = new TreeMap<>();

    MemoryUsage(Instant from, Instant to) {
        this.from = from;
        this.to = to;
    }

    List<UserUsage> users() {
        return List.copyOf(users.values());
    }

    void add(Task task, List<Attempt> attempts) {
        var user = task.owner().name();
        boolean ran = attempts.stream().anyMatch(this::ranWithin);
        var finished = finishedAt(task).filter(this::isWithin);
        if (ran || finished.isPresent()) {
            add(new UserUsage(user, tasks(task), 0, Load.NONE, Memory.NONE, new long[0]));
        }
        for (var attempt : attempts) {
            addGpuTime(user, attempt);
            addMemory(user, attempt);
        }
        attempts.stream()
                .filter(attempt -> attempt.id().number() == 1)
                .map(Attempt::scheduledAt)
                .filter(at -> !at.isBefore(from) && at.isBefore(to))
                .forEach(at -> addWait(user, task, at));
    }

    private Tasks tasks(Task task) {
        boolean isOver = finishedAt(task).filter(at -> !at.isAfter(to)).isPresent();
        return new Tasks(
                1,
                isOver && task.state() instanceof TaskState.Completed ? 1 : 0,
                isOver && task.state() instanceof TaskState.Failed ? 1 : 0,
                isOver && task.state() instanceof TaskState.Cancelled ? 1 : 0);
    }

    private static Optional<Instant> finishedAt(Task task) {
        return switch (task.state()) {
            case TaskState.Completed(var at) -> Optional.of(at);
            case TaskState.Failed(var at, _) -> Optional.of(at);
            case TaskState.Cancelled(var at) -> Optional.of(at);
            case TaskState.Pending _, TaskState.Queued _, TaskState.Handed _, TaskState.Running _ ->
                    Optional.empty();
        };
    }

    private boolean isWithin(Instant at) {
        return at.isAfter(from) && !at.isAfter(to);
    }

    private boolean ranWithin(Attempt attempt) {
        boolean wasOver = attempt.phase() instanceof Phase.Ended(_, _, var at) && !at.isAfter(from);
        return attempt.scheduledAt().isBefore(to) && !wasOver;
    }

    private Duration overlap(Attempt attempt) {
        var end = attempt.phase() instanceof Phase.Ended(_, _, var at) && at.isBefore(to) ? at : to;
        var begin = attempt.scheduledAt().isAfter(from) ? attempt.scheduledAt() : from;
        return end.isAfter(begin) ? Duration.between(begin, end) : Duration.ZERO;
    }

    private void addGpuTime(String user, Attempt attempt) {
        double seconds = overlap(attempt).toNanos() / NANOS * attempt.claims().size();
        if (seconds > 0) {
            var percent =
                    attempt.findings().consumption().stream()
                            .flatMapToInt(found -> found.meanPercent().stream())
                            .findFirst();
            var load =
                    percent.isPresent()
                            ? new Load(seconds * percent.getAsInt(), seconds)
                            : Load.NONE;
            add(new UserUsage(user, Tasks.NONE, seconds, load, Memory.NONE, new long[0]));
        }
    }

    private void addMemory(String user, Attempt attempt) {
        long asked = attempt.claims().isEmpty() ? 0 : attempt.claims().getFirst().memoryMib();
        var peak = attempt.findings().consumption().map(GpuConsumption::peakMib);
        boolean isOver = attempt.phase() instanceof Phase.Ended(_, _, var at) && isWithin(at);
        if (asked > 0 && peak.isPresent() && isOver) {
            var memory = new Memory(1, asked, peak.get());
            add(new UserUsage(user, Tasks.NONE, 0, Load.NONE, memory, new long[0]));
        }
    }

    private void addWait(String user, Task task, Instant grantedAt) {
        var queuedAt = task.queuedAt().orElse(grantedAt);
        var since = queuedAt.isAfter(grantedAt) ? task.createdAt() : queuedAt;
        long[] wait = {UserUsage.micros(Duration.between(since, grantedAt))};
        add(new UserUsage(user, Tasks.NONE, 0, Load.NONE, Memory.NONE, wait));
    }

    private void add(UserUsage part) {
        users.merge(part.user(), part, UserUsage::plus);
    }
}
