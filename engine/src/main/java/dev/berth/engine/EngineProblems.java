package dev.berth.engine;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuState;
import dev.berth.port.StoreFailure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Describes what keeps the engine from doing all of its work. */
final class EngineProblems {

    private EngineProblems() {}

    static List<String> of(
            EngineState state, Optional<String> halted, Optional<StoreFailure> storeTrouble) {
        var problems = new ArrayList<String>();
        halted.ifPresent(why -> problems.add("Starts are halted, a rule was found broken: " + why));
        storeTrouble.ifPresent(
                failure -> problems.add("The database cannot be written: " + failure.getMessage()));
        if (!state.durable().scheduler().isRunning()) {
            problems.add("The scheduler is stopped, so nothing starts: berth scheduler start");
        }
        if (state.sinceStart().isDiskLow()) {
            problems.add(
                    "Disk space is low ("
                            + state.sinceStart().diskFreeMib()
                            + " MiB free): starts are paused.");
        }
        problems.addAll(ofGpus(state));
        return problems;
    }

    private static List<String> ofGpus(EngineState state) {
        var trouble = state.sinceStart().gpuReleases().readFailure();
        if (trouble.isPresent()) {
            return List.of(
                    "The GPUs cannot be read, so nothing starts on them: " + trouble.get() + ".");
        }
        return state.durable()
                .faults()
                .values()
                .filter(fault -> fault.kind() != GpuFault.Kind.PERSON)
                .flatMap(
                        fault ->
                                state
                                        .gpus()
                                        .get(fault.gpu())
                                        .map(one -> describe(one, fault))
                                        .stream())
                .toList();
    }

    private static String describe(GpuState one, GpuFault fault) {
        int index = one.gpu().index();
        return "GPU "
                + index
                + " is in error: "
                + fault.reason()
                + (fault.stage() == GpuFault.Stage.TESTING
                        ? " (it is being tested)."
                        : ". When it is mended: berth gpus recover " + index);
    }
}
