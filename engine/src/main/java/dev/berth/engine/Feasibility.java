package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.card.CardState;
import dev.berth.core.plan.Planner;
import dev.berth.core.task.Devices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.TaskSpec;

import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Whether the known cards could ever serve a task: what never starts must not wait. */
final class Feasibility {

    private final Planner planner;

    Feasibility(Planner planner) {
        this.planner = planner;
    }

    Optional<Rejected> refusal(TaskSpec spec, State state) {
        if (!(spec.need() instanceof Need.Cards need)) {
            return Optional.empty();
        }
        if (state.cards().isEmpty()) {
            return Optional.of(noCards());
        }
        return unknownType(need, state)
                .or(() -> need.devices().flatMap(devices -> badDevices(devices, state)))
                .or(() -> tooMany(need, Shape.of(spec), state));
    }

    private static Rejected noCards() {
        return Rejected.impossible(
                "cards.none",
                "gpu_count",
                "No GPU has ever been readable here, so a task that needs one could never start."
                        + " Submit with devices \"cpu\" (berth submit --device cpu), or check the"
                        + " driver.");
    }

    private static Optional<Rejected> unknownType(Need.Cards need, State state) {
        var models =
                state.cards()
                        .values()
                        .map(CardState::card)
                        .map(card -> card.model())
                        .collect(Collectors.toCollection(TreeSet::new));
        if (need.type().isEmpty() || models.contains(need.type().get())) {
            return Optional.empty();
        }
        var known = String.join(", ", models);
        return Optional.of(
                Rejected.impossible(
                                "gpu_type.unknown",
                                "gpu_type",
                                "There is no GPU of type \""
                                        + need.type().get()
                                        + "\" here. Known types: "
                                        + known
                                        + ".")
                        .with("known", known));
    }

    private Optional<Rejected> badDevices(Devices devices, State state) {
        var known =
                state.cards()
                        .values()
                        .map(one -> one.card().index())
                        .collect(Collectors.toCollection(TreeSet::new));
        var pool = planner.rules().pool();
        for (int index : devices.indices()) {
            if (!known.contains(index)) {
                return Optional.of(
                        Rejected.invalid(
                                        "devices.unknown",
                                        "devices",
                                        "There is no GPU " + index + " here, only " + known + ".")
                                .with("gpu", index)
                                .with("known", known));
            }
            if (pool.reserved().contains(index)) {
                return Optional.of(
                        Rejected.impossible(
                                        "devices.reserved",
                                        "devices",
                                        "GPU "
                                                + index
                                                + " is reserved (reserved_gpu_ids): Berth starts"
                                                + " nothing on it.")
                                .with("gpu", index));
            }
            if (pool.ids().isPresent() && !pool.ids().get().contains(index)) {
                return Optional.of(
                        Rejected.impossible(
                                        "devices.outside",
                                        "devices",
                                        "GPU "
                                                + index
                                                + " is not one of those given to Berth (gpu_ids).")
                                .with("gpu", index));
            }
        }
        return Optional.empty();
    }

    private Optional<Rejected> tooMany(Need.Cards need, Shape shape, State state) {
        int wanted = need.count().least();
        int suitable = planner.suitable(shape, state.cards());
        if (suitable >= wanted) {
            return Optional.empty();
        }
        var ask = planner.ask(need, shape);
        var memory =
                ask.neededMib().isPresent()
                        ? " with " + (ask.neededMib().getAsLong() + ask.marginMib()) + " MiB"
                        : "";
        var type = need.type().map(model -> " of type " + model).orElse("");
        var field =
                ask.neededMib().isPresent() && suitable == 0
                        ? ask.isEstimated() ? "model_name" : "memory_gb"
                        : need.devices().isPresent() ? "devices" : "gpu_count";
        return Optional.of(
                Rejected.impossible(
                                "cards.too_many",
                                field,
                                wanted
                                        + " wanted, "
                                        + suitable
                                        + " exist: no "
                                        + wanted
                                        + " GPU(s)"
                                        + type
                                        + memory
                                        + " are here, so the task could never start.")
                        .with("wanted", wanted)
                        .with("exist", suitable));
    }
}
