package dev.berth.port.event;

import dev.berth.core.commandfile.FileMode;

/** Events of a file run. */
public sealed interface FileRunPayload extends EventPayload {

    /** The id of the file run. */
    long run();

    record FileRunStarted(long run, FileMode mode, String file, int tasks)
            implements FileRunPayload {}

    record FileRunStopping(long run, FileMode mode, String file) implements FileRunPayload {}

    /**
     * @param wasStopped a person stopped it; otherwise all its tasks have ended
     */
    record FileRunEnded(long run, boolean wasStopped) implements FileRunPayload {}
}
