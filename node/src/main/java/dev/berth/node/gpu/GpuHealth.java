package dev.berth.node.gpu;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the driver reports about a GPU's hardware. An unknown value counts as good.
 *
 * @param uncorrectedErrors uncorrectable memory errors since the driver was loaded
 * @param isRepairPending a bad page or row will be retired at the next reset
 * @param isRepairFailed no spare row was left for a bad one
 * @param isHot it slows itself down to avoid damage
 * @param recommendedAction the action that the driver recommends, for example {@code Reset}
 */
record GpuHealth(
        String uuid,
        Optional<PciAddress> address,
        OptionalLong uncorrectedErrors,
        boolean isRepairPending,
        boolean isRepairFailed,
        boolean isHot,
        Optional<String> recommendedAction) {

    /** The reason why the GPU is unreliable, if so. */
    Optional<String> problem() {
        if (isRepairFailed) {
            return Optional.of("bad memory could not be replaced");
        }
        if (isRepairPending) {
            return Optional.of("bad memory waits to be taken out of use by a reset");
        }
        if (isHot) {
            return Optional.of("it is too hot and slows itself down");
        }
        return recommendedAction.map(what -> "the driver asks for: " + what);
    }
}
