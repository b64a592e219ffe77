package dev.berth.node;

import dev.berth.node.shim.SpareShims;

/**
 * The start of one attempt. What later starts need is prepared when its command runs, not before:
 * its shim needs the processor.
 */
final class StartInProgress {

    private final NodeContext context;
    private boolean isFinished;

    /** It begins with the order to start it. */
    StartInProgress(NodeContext context) {
        this.context = context;
        context.spareShims().ifPresent(SpareShims::startBegins);
    }

    /** The command runs, or will not. Further calls have no effect. */
    void finish() {
        if (!isFinished) {
            isFinished = true;
            context.spareShims().ifPresent(SpareShims::startEnds);
            context.spareDirectories().refill();
        }
    }
}
