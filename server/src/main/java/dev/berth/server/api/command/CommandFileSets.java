package dev.berth.server.api.command;

import dev.berth.http.Caller;
import dev.berth.http.RejectedException;
import dev.berth.runs.RunResources;

import java.util.Optional;

/**
 * The command files that a caller works with: one set on a personal server, otherwise a set for
 * each user.
 */
public interface CommandFileSets {

    /**
     * @param user whose files are meant; the caller's own if empty
     */
    RunResources of(Caller caller, Optional<String> user) throws RejectedException;

    /** What all sets have in common: directories, allowed commands, and access to paths. */
    RunResources common();

    /** The caller's own. */
    default RunResources of(Caller caller) throws RejectedException {
        return of(caller, Optional.empty());
    }
}
