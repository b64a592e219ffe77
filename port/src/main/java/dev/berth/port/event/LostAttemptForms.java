package dev.berth.port.event;

import static dev.berth.port.event.StoredField.indices;
import static dev.berth.port.event.StoredField.mark;
import static dev.berth.port.event.StoredField.number;
import static dev.berth.port.event.StoredField.text;

import dev.berth.port.event.AttemptPayload.AttemptResolved;
import dev.berth.port.event.TaskAlert.AttemptFound;
import dev.berth.port.event.TaskAlert.AttemptReleased;
import dev.berth.port.event.TaskAlert.AttemptUnobservable;
import dev.berth.port.event.TaskAlert.AttemptUnstoppable;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The stored forms of the sentences about lost and stuck attempts. */
final class LostAttemptForms {

    private static final StoredField<String> NAME = text("name");
    private static final StoredField<String> WHY = text("why");
    private static final StoredField<List<Integer>> GPUS = indices("gpus");
    private static final StoredField<String> AS = text("as");
    private static final StoredField<Boolean> FORCED = mark("forced", "true");
    private static final StoredField<Long> PID = number("pid");

    private LostAttemptForms() {}

    static List<PayloadForm<?>> all() {
        return List.of(
                new PayloadForm<>(
                        "alert.attempt_lost",
                        AttemptUnobservable.class,
                        in -> new AttemptUnobservable(in.get(NAME), in.get(WHY), in.get(GPUS)),
                        (it, out) ->
                                out.put(NAME, it.name()).put(WHY, it.why()).put(GPUS, it.gpus())),
                new PayloadForm<>(
                        "alert.attempt_stuck",
                        AttemptUnstoppable.class,
                        in -> new AttemptUnstoppable(in.get(NAME), in.get(WHY), in.get(GPUS)),
                        (it, out) ->
                                out.put(NAME, it.name()).put(WHY, it.why()).put(GPUS, it.gpus())),
                new PayloadForm<>(
                        "alert.attempt_found",
                        AttemptFound.class,
                        in -> new AttemptFound(in.get(NAME)),
                        (it, out) -> out.put(NAME, it.name())),
                new PayloadForm<>(
                        "alert.attempt_released",
                        AttemptReleased.class,
                        in -> new AttemptReleased(in.get(NAME), in.get(GPUS)),
                        (it, out) -> out.put(NAME, it.name()).put(GPUS, it.gpus())),
                new PayloadForm<>(
                        "attempt.resolved",
                        AttemptResolved.class,
                        LostAttemptForms::resolved,
                        (it, out) ->
                                out.put(AS, it.as())
                                        .putIf(FORCED, it.isForced())
                                        .putIfPresent(PID, pid(it))));
    }

    private static AttemptResolved resolved(FieldReader in) {
        var pid = in.find(PID).map(OptionalLong::of).orElseGet(OptionalLong::empty);
        return new AttemptResolved(in.get(AS), in.has(FORCED), pid);
    }

    private static Optional<Long> pid(AttemptResolved resolved) {
        return resolved.pid().isPresent()
                ? Optional.of(resolved.pid().getAsLong())
                : Optional.empty();
    }
}
