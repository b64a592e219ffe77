package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.access.Token;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.reserve.Reservation;
import dev.berth.port.SchedulerState;
import dev.berth.port.StoreFailure;

import java.util.List;

/** What a caller gets after the commit. */
public sealed interface EngineReply {

    /**
     * @param task the first one if several were added: they have consecutive ids
     * @param isRepeated the same request was accepted before; nothing was done again
     */
    record TaskAccepted(TaskId task, boolean isRepeated) implements EngineReply {}

    /** The token after the change. */
    record TokenKept(Token token) implements EngineReply {}

    /** The draft cannot start now and stays a draft. */
    record Busy(List<WaitReason> reasons) implements EngineReply {
        public Busy {
            reasons = List.copyOf(reasons);
        }
    }

    /**
     * @param hasChanged false if it was so before
     */
    record SchedulerSwitched(SchedulerState scheduler, boolean hasChanged) implements EngineReply {}

    /** A reservation was created or removed. */
    record ReservationKept(Reservation reservation) implements EngineReply {}

    /** A file run was started or stopped. */
    record FileRunChanged(FileRun run) implements EngineReply {}

    /**
     * The store cannot take the cancel now. Its processes are being ended, and it is recorded as
     * soon as the store takes commits.
     *
     * @param survivesCrash whether the next server will carry it out if this one is killed
     */
    record CancelPending(TaskId task, boolean survivesCrash) implements EngineReply {}

    record Refused(Rejected rejection) implements EngineReply {}

    /** The commit failed and nothing was kept: try again later. */
    record Unavailable(StoreFailure.Kind kind) implements EngineReply {}

    /** Done, with nothing to return. */
    record Done() implements EngineReply {}
}
