package dev.berth.engine.port;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Consumption;

import java.util.Optional;

/** What attempts that run have made of their cards up to now. */
@FunctionalInterface
public interface Consumptions {

    /** None where it has not been seen on a card, or has ended. */
    Optional<Consumption> of(AttemptId attempt);
}
