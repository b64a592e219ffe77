package dev.berth.core.task;

import java.util.Optional;

/**
 * What a model task says of its work, from which its memory is estimated.
 *
 * @param model which model it uses: a card that has it loaded is liked better
 * @param kind which kind of computation it is
 * @param atoms how large the structure is; 0 where that is not known
 */
public record ModelWork(Optional<String> model, Optional<String> kind, int atoms) {

    public ModelWork {
        if (atoms < 0) {
            throw new IllegalArgumentException("a structure has no fewer than 0 atoms: " + atoms);
        }
        if (model.isEmpty() && kind.isEmpty()) {
            throw new IllegalArgumentException("a model task names its model or its kind of work");
        }
    }
}
