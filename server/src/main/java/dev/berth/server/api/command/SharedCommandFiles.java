package dev.berth.server.api.command;

import dev.berth.http.Caller;
import dev.berth.http.RejectedException;
import dev.berth.runs.RunResources;

import java.util.Optional;

/** One set of command files for all callers of a personal server, who are one person. */
public record SharedCommandFiles(RunResources common) implements CommandFileSets {

    @Override
    public RunResources of(Caller caller, Optional<String> user) throws RejectedException {
        UserCommandFiles.requireMay(caller, user);
        return common;
    }
}
