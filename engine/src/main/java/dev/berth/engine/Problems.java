package dev.berth.engine;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Fault;
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
        return state.books()
                .faults()
                .values()
                .filter(fault -> fault.kind() != Fault.Kind.PERSON)
                .flatMap(
                        fault ->
                                state
                                        .cards()
                                        .get(fault.card())
                                        .map(one -> told(one, fault))
                                        .stream())
                .toList();
    }

    private static String told(CardState one, Fault fault) {
        int index = one.card().index();
        return "GPU "
                + index
                + " is in error: "
                + fault.why()
                + (fault.stage() == Fault.Stage.TESTING
                        ? " (it is being tested)."
                        : ". When it is mended: berth gpus recover " + index);
    }
}
