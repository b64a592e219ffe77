package dev.berth.core.plan;

import dev.berth.core.card.Card;
import dev.berth.core.task.TaskId;

import java.time.Instant;
import java.util.List;

/** Why a task does not start now. */
public sealed interface WaitReason {

    /** One card and why not it. */
    record CardRefused(Card card, Refusal refusal) {}

    record CardsShort(int wanted, int fitting, List<CardRefused> refused) implements WaitReason {}

    /** No set of known cards could ever serve it; it is passed over, so that it blocks nobody. */
    record Impossible(int wanted, int suitable, List<CardRefused> refused) implements WaitReason {}

    /** As many tasks without a card run as may. */
    record CpuFull(int running, int most) implements WaitReason {}

    /** The head of the line keeps its turn. */
    record Behind(TaskId head, int position) implements WaitReason {}

    /** The task before it in its lane has not ended. */
    record LaneBusy(TaskId task) implements WaitReason {}

    /** It failed, and rests before it is tried again. */
    record Resting(Instant until) implements WaitReason {}

    /** Another task of its command file is being started just now. */
    record Spacing(long run) implements WaitReason {}

    /**
     * It would leave fewer cards idle than lanes leave to others.
     *
     * @param idle how many are idle of anybody now
     */
    record Polite(int left, int idle) implements WaitReason {}

    /** Nothing starts at the moment. */
    record Paused(Cause cause, String detail) implements WaitReason {
        public enum Cause {
            RECOVERING,
            /** A person said so. */
            STOPPED,
            DISK_LOW,
            STORE_FAILING,
            INVARIANT_BROKEN
        }
    }
}
