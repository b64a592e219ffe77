package dev.berth.node.shim;

/** The setting {@code shim}: which program runs the shim of an attempt. */
public enum ShimChoice {
    /** The native program where it works, otherwise bash. */
    AUTO,
    NATIVE,
    BASH
}
