package dev.berth.runs;

import dev.berth.core.task.ProcessKey;

import java.util.OptionalLong;

/** Finds the process of the shell that runs an attempt's command. */
@FunctionalInterface
public interface CommandPids {

    /** For nodes that cannot find it. */
    CommandPids NONE = _ -> OptionalLong.empty();

    /** Empty before the shell has started and after it has ended. */
    OptionalLong find(ProcessKey shim);
}
