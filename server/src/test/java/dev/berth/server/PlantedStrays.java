package dev.berth.server;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.engine.port.Strays;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;

/** Processes that exist because a test says so. */
final class PlantedStrays implements Strays {

    /** Where the shell of a command is, seen from its shim. */
    static final long SHELL = 1000;

    final Map<Long, Optional<AttemptId>> processes = new ConcurrentSkipListMap<>();
    volatile boolean isUnreadable;

    static OptionalLong shell(ProcessKey shim) {
        return OptionalLong.of(shim.pid() + SHELL);
    }

    @Override
    public SortedSet<AttemptId> attempts() throws Unreadable {
        if (isUnreadable) {
            throw new Unreadable("told to fail", new IllegalStateException("told to fail"));
        }
        var attempts = new TreeSet<AttemptId>();
        processes.values().forEach(attempt -> attempt.ifPresent(attempts::add));
        return attempts;
    }

    @Override
    public List<Stray> of(AttemptId over) {
        var strays = new ArrayList<Stray>();
        processes.forEach(
                (pid, attempt) -> {
                    if (attempt.filter(over::equals).isPresent()) {
                        var since = Instant.parse("2025-11-15T08:00:00Z");
                        strays.add(new Stray(pid, "python", over, since));
                    }
                });
        return strays;
    }

    @Override
    public List<Stray> end(AttemptId over) {
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
