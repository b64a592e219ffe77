package dev.berth.node.shim;

/** How a test starts its shims. */
enum ShimKind {
    NATIVE(ShimChoice.NATIVE),
    /** The native shim, started ahead if that suits the command. */
    SPARE(ShimChoice.NATIVE),
    BASH(ShimChoice.BASH);

    private final ShimChoice choice;

    ShimKind(ShimChoice choice) {
        this.choice = choice;
    }

    ShimChoice choice() {
        return choice;
    }
}
