package dev.berth.core.task;

import java.util.Optional;

/**
 * What a model task states about its computation; its memory is estimated from it.
 *
 * @param model the model; a GPU that has it loaded is preferred
 * @param kind kind of computation
 * @param atoms size of the structure; 0 if unknown
 * @param isCall a worker of the model runs it; its script is the JSON text of its parameters
 */
public record ModelWork(Optional<String> model, Optional<String> kind, int atoms, boolean isCall) {

    public ModelWork {
        if (atoms < 0) {
            throw new IllegalArgumentException("a structure has no fewer than 0 atoms: " + atoms);
        }
        if (model.isEmpty() && kind.isEmpty()) {
            throw new IllegalArgumentException("a model task names its model or its kind of work");
        }
        if (isCall && model.isEmpty()) {
            throw new IllegalArgumentException("a worker has a model");
        }
    }

    /** Of a task with a command. */
    public ModelWork(Optional<String> model, Optional<String> kind, int atoms) {
        this(model, kind, atoms, false);
    }
}
