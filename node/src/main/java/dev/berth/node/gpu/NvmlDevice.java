package dev.berth.node.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** One GPU in NVML. */
record NvmlDevice(Nvml nvml, Arena arena, long handle) {

    private static final int MAX_GPUS = 1024;
    private static final long TEXT_BYTES = 96;

    /** The index is the one that nvidia-smi shows, in the order of the PCI bus. */
    static Optional<NvmlDevice> at(Nvml nvml, Arena arena, int index) {
        var handle = arena.allocate(JAVA_LONG);
        return nvml.call("nvmlDeviceGetHandleByIndex_v2", index, handle.address()) == Nvml.SUCCESS
                ? Optional.of(new NvmlDevice(nvml, arena, handle.get(JAVA_LONG, 0)))
                : Optional.empty();
    }

    /** The devices that are reachable now; empty if the library is not initialised. */
    static List<NvmlDevice> all(Nvml nvml, Arena arena) {
        var count = arena.allocate(JAVA_INT);
        var all = new ArrayList<NvmlDevice>();
        if (nvml.call("nvmlDeviceGetCount_v2", count.address()) == Nvml.SUCCESS) {
            for (int i = 0; i < Math.min(count.get(JAVA_INT, 0), MAX_GPUS); i++) {
                at(nvml, arena, i).ifPresent(all::add);
            }
        }
        return all;
    }

    Optional<String> uuid() {
        return text("nvmlDeviceGetUUID");
    }

    Optional<String> text(String function) {
        var text = arena.allocate(TEXT_BYTES);
        if (nvml.call(function, handle, text.address(), TEXT_BYTES - 1) != Nvml.SUCCESS) {
            return Optional.empty();
        }
        return Optional.of(text.getString(0, StandardCharsets.UTF_8))
                .filter(value -> !value.isBlank());
    }

    /** The first of the integers that a function writes. */
    OptionalInt firstInt(String function) {
        var numbers = arena.allocate(JAVA_INT, 2);
        int status =
                nvml.call(
                        function,
                        handle,
                        numbers.address(),
                        numbers.address() + JAVA_INT.byteSize());
        return status == Nvml.SUCCESS
                ? OptionalInt.of(numbers.get(JAVA_INT, 0))
                : OptionalInt.empty();
    }
}
