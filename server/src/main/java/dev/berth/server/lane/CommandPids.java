package dev.berth.server.lane;

import dev.berth.core.task.ProcessKey;

import java.util.OptionalLong;

/** Which process is the shell of an attempt's command. */
@FunctionalInterface
public interface CommandPids {

    /** Where nobody can tell. */
    CommandPids NONE = _ -> OptionalLong.empty();

    /** Empty before it has started and after it has ended. */
    OptionalLong of(ProcessKey shim);
}
