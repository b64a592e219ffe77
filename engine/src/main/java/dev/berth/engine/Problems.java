package dev.berth.engine;

import dev.berth.core.card.CardState;
import dev.berth.engine.port.StoreFailure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What keeps the engine from doing all of its work, in plain words. */
final class Problems {

    private Problems() {}

    static List<String> of(
            State state, Optional<String> halted, Optional<StoreFailure> storeTrouble) {
        var problems = new ArrayList<String>();
        halted.ifPresent(why -> problems.add("Starts are halted, a rule was found broken: " + why));
        storeTrouble.ifPresent(
                failure -> problems.add("The database cannot be written: " + failure.getMessage()));
        if (!state.books().scheduler().isRunning()) {
            problems.add("The scheduler is stopped, so nothing starts: berth scheduler start");
        }
        if (state.watch().diskLow()) {
            problems.add(
                    "Disk space is low ("
                            + state.watch().diskFreeMib()
                            + " MiB free): starts are paused.");
        }
        problems.addAll(ofCards(state));
        return problems;
    }

    private static List<String> ofCards(State state) {
        var trouble = state.watch().cards().trouble();
        if (trouble.isPresent()) {
            return List.of(
                    "The GPUs cannot be read, so nothing starts on them: " + trouble.get() + ".");
        }
        return state.cards()
                .values()
                .filter(CardState.Failed.class::isInstance)
                .map(CardState.Failed.class::cast)
                .map(one -> "GPU " + one.card().index() + " is in error: " + one.why() + ".")
                .toList();
    }
}
