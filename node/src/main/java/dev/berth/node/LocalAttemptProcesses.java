package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.process.CommandSearch;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessStat;
import dev.berth.node.shim.ShimProgram;
import dev.berth.port.read.AttemptProcesses;
import dev.berth.port.read.LeftoverProcesses.ProcessTableUnreadable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Looks for the processes of one attempt on this host. */
record LocalAttemptProcesses(NodeContext context) implements AttemptProcesses {

    @Override
    public List<SeenProcess> alive(AttemptId attempt) throws ProcessTableUnreadable {
        try {
            var keys = new ArrayList<ProcessKey>();
            context.processSet(attempt, Optional.empty()).scan().members().stream()
                    .map(member -> member.key())
                    .sorted(Comparator.comparingLong(ProcessKey::startTick))
                    .forEach(keys::add);
            // Before it has taken `go`, a shim carries no marker.
            CommandSearch.find(ShimProgram.arguments(context.directory(attempt)))
                    .ifPresent(
                            shim -> {
                                keys.remove(shim);
                                keys.addFirst(shim);
                            });
            var seen = new ArrayList<SeenProcess>();
            for (var key : keys) {
                Proc.stat(key.pid()).map(stat -> seen(key, stat)).ifPresent(seen::add);
            }
            return seen;
        } catch (IOException unreadable) {
            throw unreadable(unreadable);
        }
    }

    @Override
    public Optional<SeenProcess> named(long pid) throws ProcessTableUnreadable {
        try {
            long self = ProcessHandle.current().pid();
            boolean isOfThisUser = Proc.userId(pid).equals(Proc.userId(self));
            // On a node for many users this user is root, whose processes are not for users to
            // name.
            if (pid == self || isOfThisUser == context.owners().isForManyUsers()) {
                return Optional.empty();
            }
            var stat = Proc.stat(pid).filter(ProcessStat::isAlive);
            return stat.map(
                    one -> seen(new ProcessKey(context.bootId(), pid, one.startTick()), one));
        } catch (IOException unreadable) {
            throw unreadable(unreadable);
        }
    }

    private SeenProcess seen(ProcessKey key, ProcessStat stat) {
        return new SeenProcess(
                new ShimProcess(key, context.bootTime().plus(Proc.startAfterBoot(key))),
                stat.program());
    }

    private static ProcessTableUnreadable unreadable(IOException cause) {
        return new ProcessTableUnreadable("the list of processes cannot be read", cause);
    }
}
