package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Signal;

import java.io.IOException;

/** Sends a signal to a process identified by its key, so that a reused pid is never hit. */
public final class Signals {
    private final boolean hasPidfds;

    public Signals(boolean hasPidfds) {
        this.hasPidfds = hasPidfds;
    }

    /** False if the process no longer exists. */
    public boolean send(ProcessKey process, Signal signal) throws IOException {
        return hasPidfds
                ? sendHeld(process, signal)
                : isStill(process) && Pidfd.sendByPid(process.pid(), signal);
    }

    /** Open first, check then: the process that the check confirms is the one we hold. */
    private static boolean sendHeld(ProcessKey process, Signal signal) throws IOException {
        var held = Pidfd.open(process.pid());
        if (held.isEmpty()) {
            return false;
        }
        try (var pidfd = held.get()) {
            return isStill(process) && pidfd.send(signal);
        }
    }

    private static boolean isStill(ProcessKey process) throws IOException {
        return process.bootId().equals(Proc.bootId())
                && Proc.stat(process.pid())
                        .filter(stat -> stat.startTick() == process.startTick())
                        .isPresent();
    }
}
