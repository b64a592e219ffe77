package dev.berth.core.plan;

import dev.berth.core.card.CardState;

/**
 * The placement {@code best_score}: much free memory and a cool card. Its parts are kept for
 * display.
 */
public record Score(double freeMemory, double coolness) {

    static Score of(CardState state) {
        return switch (state) {
            case CardState.Readable(_, var reading) ->
                    new Score(
                            reading.freeMib().orElse(0) / 1000.0,
                            reading.temperatureC().isPresent()
                                    ? (100 - reading.temperatureC().getAsInt()) / 10.0
                                    : 0);
            case CardState.Unknown _, CardState.Failed _ -> new Score(0, 0);
        };
    }

    public double total() {
        return freeMemory + coolness;
    }
}
