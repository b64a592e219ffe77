package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.task.ModelWork;
import dev.berth.http.JsonFields;
import dev.berth.http.RejectedException;
import dev.berth.server.api.ControlCharacters;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Reads a task's model and time limit. */
record ModelWorkRequest(TimeLimits limits) {

    private static final int MAX_NAME_LENGTH = 200;
    private static final int MAX_ATOMS = 1_000_000_000;
    private static final int MAX_PARAMS_BYTES = 1 << 20;

    static Optional<ModelWork> work(JsonFields fields) throws RejectedException {
        var model = shortText(fields, "model_name");
        var kind = shortText(fields, "task_type");
        var atoms = fields.wholeNumber("structure_n_atoms", 0, MAX_ATOMS);
        if (model.isEmpty() && kind.isEmpty()) {
            if (atoms.isPresent()) {
                throw RejectedException.invalid(
                        "structure_n_atoms.without_model", "structure_n_atoms");
            }
            return Optional.empty();
        }
        // Without a command a worker of the model runs it.
        boolean isCall = model.isPresent() && fields.isAbsent("command");
        return Optional.of(new ModelWork(model, kind, atoms.orElse(0), isCall));
    }

    /** The parameters of a call, as JSON. */
    static String params(JsonFields fields) throws RejectedException {
        var params = fields.objectText("params").orElse("{}");
        int bytes = params.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_PARAMS_BYTES) {
            throw new RejectedException(
                    Rejected.invalid("params.too_long", "params")
                            .with("bytes", bytes)
                            .with("max", MAX_PARAMS_BYTES));
        }
        return params;
    }

    /** Only model tasks have a default limit. */
    Optional<Duration> timeLimit(JsonFields fields, Optional<ModelWork> work)
            throws RejectedException {
        var stated = fields.wholeNumber("timeout_seconds", 1, limits.maxSeconds());
        if (stated.isPresent()) {
            return Optional.of(Duration.ofSeconds(stated.getAsInt()));
        }
        return work.map(_ -> Duration.ofSeconds(limits.modelTaskSeconds()));
    }

    private static Optional<String> shortText(JsonFields fields, String name)
            throws RejectedException {
        var text = fields.text(name);
        if (text.isEmpty()) {
            return text;
        }
        var shortText = text.get().strip();
        if (shortText.isEmpty()
                || shortText.length() > MAX_NAME_LENGTH
                || ControlCharacters.areIn(shortText)) {
            throw new RejectedException(
                    Rejected.invalid(name + ".invalid", name)
                            .variant("name")
                            .with("max", MAX_NAME_LENGTH));
        }
        return Optional.of(shortText);
    }
}
