package dev.berth.node.shim;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Optional;

/** The shims that a test runs on. */
public final class ShimChoices {

    private ShimChoices() {}

    /** Skips the test where the native shim does not work. */
    public static ShimChoice require(ShimChoice choice) {
        assumeTrue(
                choice != ShimChoice.NATIVE || NativeShim.problem().isEmpty(),
                "the native shim works here");
        return choice;
    }

    /**
     * As after an upgrade: a server starts attempts through one shim and adopts those of the other.
     */
    public static ShimChoice other(ShimChoice choice) {
        return choice == ShimChoice.NATIVE || NativeShim.problem().isPresent()
                ? ShimChoice.BASH
                : ShimChoice.NATIVE;
    }

    public static CommandSettings settings(ShimChoice choice) {
        return new CommandSettings(List.of(), Optional.empty(), choice);
    }
}
