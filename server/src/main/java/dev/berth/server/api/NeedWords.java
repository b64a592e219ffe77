package dev.berth.server.api;

import dev.berth.core.task.Devices;
import dev.berth.core.task.Need;

import org.jspecify.annotations.Nullable;

/**
 * A need in the words of a request.
 *
 * @param minGpu 0 where it is of no card
 */
record NeedWords(
        String devices,
        int minGpu,
        int maxGpu,
        @Nullable String gpuType,
        @Nullable Double memoryGb,
        boolean isShared) {

    private static final double MIB_PER_GB = 1024;

    static NeedWords of(Need need) {
        return switch (need) {
            case Need.Cpu _ -> new NeedWords("cpu", 0, 0, null, null, false);
            case Need.Cards(var count, var type, var devices, var memory) ->
                    new NeedWords(
                            devices.map(Devices::word).orElse("auto"),
                            count.least(),
                            count.most(),
                            type.orElse(null),
                            memory.mib().isPresent() ? memory.mib().getAsLong() / MIB_PER_GB : null,
                            memory.isShared());
        };
    }
}
