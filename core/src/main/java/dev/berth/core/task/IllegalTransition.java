package dev.berth.core.task;

/** A transition that the state does not allow: a defect of the caller, which must check first. */
public final class IllegalTransition extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public IllegalTransition(Object state, Object move) {
        super(state + " does not allow " + move);
    }
}
