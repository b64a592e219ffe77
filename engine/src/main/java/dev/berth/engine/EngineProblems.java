package dev.berth.engine;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.port.StoreFailure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Describes what keeps the engine from doing all of its work. */
final class EngineProblems {

    private static final int MAX_NAMED = 20;

    private EngineProblems() {}

    static List<String> of(
            EngineState state, Optional<String> halted, Optional<StoreFailure> storeTrouble) {
        var problems = new ArrayList<String>();
        boolean isFenced =
                storeTrouble.filter(it -> it.kind() == StoreFailure.Kind.FENCED).isPresent();
        if (!isFenced) {
            halted.ifPresent(
                    why -> problems.add("Starts are halted, a rule was found broken: " + why));
        }
        storeTrouble.ifPresent(
                failure -> problems.add("The database cannot be written: " + failure.getMessage()));
        if (!state.durable().scheduler().isRunning()) {
            problems.add("The scheduler is stopped, so nothing starts: berth scheduler start");
        }
        if (state.sinceStart().isDiskLow()) {
            problems.add(
                    "Disk space is low ("
                            + state.sinceStart().disk().describe()
                            + "): starts are paused.");
        }
        state.sinceStart()
                .launchFaults()
                .episode()
                .ifPresent(
                        episode ->
                                problems.add(
                                        "The machine cannot start tasks ("
                                                + episode.fault().detail()
                                                + "): starts are paused, and one task at a time"
                                                + " tries again."));
        problems.addAll(ofGpus(state));
        problems.addAll(ofLostAttempts(state));
        for (var entry : state.sinceStart().workers().models()) {
            entry.getValue()
                    .setAside()
                    .ifPresent(
                            why ->
                                    problems.add(
                                            "Model "
                                                    + entry.getKey()
                                                    + " is set aside, because its workers fail ("
                                                    + why
                                                    + "): berth models load "
                                                    + entry.getKey()));
        }
        return problems;
    }

    private static List<String> ofLostAttempts(EngineState state) {
        return state.attempts()
                .values()
                .filter(attempt -> ContactDecider.isLostOrStuck(attempt.phase()))
                .limit(MAX_NAMED)
                .map(attempt -> describe(attempt, state.gpuIndices(attempt)))
                .toList();
    }

    private static String describe(Attempt attempt, List<Integer> gpus) {
        var task = attempt.id().task();
        var held = gpus.isEmpty() ? "" : " and holds GPU " + join(gpus);
        var what =
                switch (attempt.phase()) {
                    case Phase.Lost(_, String why) -> " is lost (" + why + ")" + held;
                    case Phase.Stuck(_, _, String why) -> " cannot be ended (" + why + ")" + held;
                    case Phase.Handed _,
                            Phase.Starting _,
                            Phase.Running _,
                            Phase.Stopping _,
                            Phase.Ended _ ->
                            held;
                };
        return "Task " + task + what + ": berth resolve " + task + " ended|running|requeue";
    }

    private static String join(List<Integer> gpus) {
        return gpus.stream().map(String::valueOf).collect(Collectors.joining(", "));
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
