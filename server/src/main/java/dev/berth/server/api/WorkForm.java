package dev.berth.server.api;

import dev.berth.core.task.ModelWork;
import dev.berth.server.http.JsonFields;
import dev.berth.server.http.Refused;

import java.time.Duration;
import java.util.Optional;

/** Reads what a task says of its work, and how long it may take. */
record WorkForm(TimeLimits limits) {

    private static final int LONGEST_NAME = 200;
    private static final int MOST_ATOMS = 1_000_000_000;

    static Optional<ModelWork> work(JsonFields fields) throws Refused {
        var model = word(fields, "model_name");
        var kind = word(fields, "task_type");
        var atoms = fields.wholeNumber("structure_n_atoms", 0, MOST_ATOMS);
        if (model.isEmpty() && kind.isEmpty()) {
            if (atoms.isPresent()) {
                throw Refused.invalid(
                        "structure_n_atoms.without_model",
                        "structure_n_atoms",
                        "structure_n_atoms has a meaning only with model_name or task_type.");
            }
            return Optional.empty();
        }
        return Optional.of(new ModelWork(model, kind, atoms.orElse(0)));
    }

    /** Only model tasks have a limit that nobody stated. */
    Optional<Duration> timeLimit(JsonFields fields, Optional<ModelWork> work) throws Refused {
        var stated = fields.wholeNumber("timeout_seconds", 1, limits.mostSeconds());
        if (stated.isPresent()) {
            return Optional.of(Duration.ofSeconds(stated.getAsInt()));
        }
        return work.map(_ -> Duration.ofSeconds(limits.modelTasksSeconds()));
    }

    private static Optional<String> word(JsonFields fields, String name) throws Refused {
        var text = fields.text(name);
        if (text.isEmpty()) {
            return text;
        }
        var word = text.get().strip();
        if (word.isEmpty() || word.length() > LONGEST_NAME || TaskForm.hasControls(word)) {
            throw Refused.invalid(
                    name + ".invalid",
                    name,
                    name + " is 1 to " + LONGEST_NAME + " characters in one line.");
        }
        return Optional.of(word);
    }
}
