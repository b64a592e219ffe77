package dev.berth.port.event;

import dev.berth.core.AlertLevel;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;

/** Alerts about one GPU. */
public sealed interface GpuAlert extends AlertPayload {

    GpuRef gpu();

    /** A GPU by its index and its id. */
    record GpuRef(int index, String uuid) {
        public static GpuRef of(Gpu gpu) {
            return new GpuRef(gpu.index(), gpu.id().uuid());
        }
    }

    @Override
    default AlertLevel alertLevel() {
        return switch (this) {
            case GpuFailed _, GpuUnrecoverable _ -> AlertLevel.CRITICAL;
            case GpuUnreadable _ -> AlertLevel.WARNING;
            case GpuReadable _, GpuReturned _, GpuQuarantined _, GpuHandedBack _ -> AlertLevel.INFO;
        };
    }

    record GpuFailed(GpuRef gpu, GpuFault.Kind fault, String error) implements GpuAlert {}

    /** The GPU failed its test and stays quarantined until a person acts. */
    record GpuUnrecoverable(GpuRef gpu, String error) implements GpuAlert {}

    /** One GPU cannot be read while others can. */
    record GpuUnreadable(GpuRef gpu, String why) implements GpuAlert {}

    record GpuReadable(GpuRef gpu) implements GpuAlert {}

    /** The GPU passed its test. */
    record GpuReturned(GpuRef gpu) implements GpuAlert {}

    /** A person took the GPU out of use. */
    record GpuQuarantined(GpuRef gpu, String reason) implements GpuAlert {}

    /** A person put the GPU into use again without a test. */
    record GpuHandedBack(GpuRef gpu) implements GpuAlert {}
}
