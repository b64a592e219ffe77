package dev.berth.server;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.read.AttemptProcesses;
import dev.berth.port.read.LeftoverProcesses.ProcessTableUnreadable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The processes that a test lets Berth see. */
public final class FakeAttemptProcesses implements AttemptProcesses {

    public final List<SeenProcess> alive = new ArrayList<>();
    public volatile boolean isUnreadable;

    public static SeenProcess python(long pid) {
        return new SeenProcess(
                new ShimProcess(new ProcessKey("boot", pid, 7), Instant.EPOCH), "python");
    }

    @Override
    public List<SeenProcess> alive(AttemptId attempt) throws ProcessTableUnreadable {
        check();
        return List.copyOf(alive);
    }

    @Override
    public Optional<SeenProcess> named(long pid) throws ProcessTableUnreadable {
        check();
        return alive.stream().filter(one -> one.process().key().pid() == pid).findFirst();
    }

    private void check() throws ProcessTableUnreadable {
        if (isUnreadable) {
            throw new ProcessTableUnreadable("no /proc", new IllegalStateException());
        }
    }
}
