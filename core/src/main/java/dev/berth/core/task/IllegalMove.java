package dev.berth.core.task;

/** A move that the state does not know: a defect in the caller, which must have asked first. */
public final class IllegalMove extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public IllegalMove(Object state, Object move) {
        super(state + " cannot " + move);
    }
}
