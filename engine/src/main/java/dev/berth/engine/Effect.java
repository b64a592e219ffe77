package dev.berth.engine;

import dev.berth.core.card.CardId;
import dev.berth.core.task.AttemptId;
import dev.berth.engine.port.Node;

/** What to do once the decision is durable. */
public sealed interface Effect {

    record Launch(Node.Launch order) implements Effect {}

    /** Whether a card that was taken out works again. */
    record Test(CardId card) implements Effect {}

    record Stop(AttemptId attempt) implements Effect {}
}
