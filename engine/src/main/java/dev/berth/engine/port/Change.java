package dev.berth.engine.port;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.Fault;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.line.Usage;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Task;

/** One thing to keep. Each holds the whole new value, so writing it twice is writing it once. */
public sealed interface Change {

    record TaskSaved(Task task) implements Change {}

    record AttemptSaved(Attempt attempt) implements Change {}

    record CardSaved(Card card) implements Change {}

    record KeySaved(SubmitKey key, KeyUse use) implements Change {}

    record KeyDropped(SubmitKey key) implements Change {}

    record TokenSaved(Token token) implements Change {}

    record TokenDropped(TokenId token) implements Change {}

    record UsageSaved(String principal, Usage.Account account) implements Change {}

    record SchedulerSet(Scheduler scheduler) implements Change {}

    record RunSaved(LaneRun run) implements Change {}

    record FaultSaved(Fault fault) implements Change {}

    record FaultDropped(CardId card) implements Change {}

    /** What a model was found to need. */
    record EstimateSaved(String model, long mib) implements Change {}

    record Happened(Event event) implements Change {}
}
