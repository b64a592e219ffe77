package dev.berth.port;

import dev.berth.core.id.TaskId;

import java.io.IOException;
import java.util.Collection;

/** The folders of ended tasks: scripts, logs, exit codes. */
public interface TaskFolders {

    /**
     * Takes the folders of these tasks out of use. When it returns, that survives a power failure.
     * The files are deleted in the background, also by the next server. A task without a folder is
     * skipped.
     */
    void discard(Collection<TaskId> tasks) throws IOException;

    /**
     * Reduces the folders of these tasks to the files that people and recovery use.
     *
     * @return how many folders were reduced
     */
    int fold(Collection<TaskId> tasks) throws IOException;
}
