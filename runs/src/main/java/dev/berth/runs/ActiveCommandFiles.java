package dev.berth.runs;

import dev.berth.core.commandfile.FileMode;

import java.util.OptionalLong;

/** Finds out which command files are running. */
@FunctionalInterface
public interface ActiveCommandFiles {

    ActiveCommandFiles NONE = (_, _) -> OptionalLong.empty();

    /** The ID of the live run of this command file. */
    OptionalLong runId(FileMode mode, int index);
}
