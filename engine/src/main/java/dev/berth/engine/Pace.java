package dev.berth.engine;

import dev.berth.core.progress.Progress;

import java.time.Instant;

/**
 * How a running attempt gets on, by what it prints.
 *
 * @param at when it said so; when it last came further, where it stands still
 * @param isStanding it has come no further for longer than is its way
 */
public record Pace(Progress progress, Instant at, boolean isStanding) {

    Pace standing(Instant since) {
        return new Pace(progress, since, true);
    }
}
