package dev.berth.testkit.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.port.read.LeftoverProcesses;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;

/** Leftover processes that the test defines. */
public final class FakeLeftovers implements LeftoverProcesses {

    /** Offset from a shim's pid to the pid of its shell. */
    public static final long SHELL = 1000;

    public final Map<Long, Optional<AttemptId>> processes = new ConcurrentSkipListMap<>();
    public volatile boolean isUnreadable;

    public static OptionalLong shell(ProcessKey shim) {
        return OptionalLong.of(shim.pid() + SHELL);
    }

    @Override
    public SortedSet<AttemptId> attempts() throws ProcessTableUnreadable {
        if (isUnreadable) {
            throw new ProcessTableUnreadable(
                    "told to fail", new IllegalStateException("told to fail"));
        }
        var attempts = new TreeSet<AttemptId>();
        processes.values().forEach(attempt -> attempt.ifPresent(attempts::add));
        return attempts;
    }

    @Override
    public List<LeftoverProcess> of(AttemptId over) {
        var strays = new ArrayList<LeftoverProcess>();
        processes.forEach(
                (pid, attempt) -> {
                    if (attempt.filter(over::equals).isPresent()) {
                        var since = Instant.parse("2025-11-15T08:00:00Z");
                        strays.add(new LeftoverProcess(pid, "python", over, since));
                    }
                });
        return strays;
    }

    @Override
    public List<LeftoverProcess> end(AttemptId over) {
        var ended = of(over);
        ended.forEach(stray -> processes.remove(stray.pid()));
        return ended;
    }

    @Override
    public boolean isAlive(long pid) {
        return processes.containsKey(pid);
    }

    @Override
    public Optional<AttemptId> attemptOf(long pid) {
        return processes.getOrDefault(pid, Optional.empty());
    }
}
