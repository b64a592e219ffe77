package dev.berth.core.plan;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;

import java.util.List;
import java.util.OptionalLong;

/**
 * How much memory of a GPU can still be claimed: the free memory minus what attempts have claimed
 * but not allocated yet. What they have allocated is no longer part of the free memory and is not
 * subtracted again.
 */
public final class Headroom {

    private Headroom() {}

    /** Empty if the driver does not report used or free memory. */
    public static OptionalLong mib(GpuReading reading, List<HeldClaim> holds) {
        if (reading.usedMib().isEmpty() || reading.freeMib().isEmpty()) {
            return OptionalLong.empty();
        }
        long used = reading.usedMib().getAsLong();
        long free = reading.freeMib().getAsLong();
        if (holds.isEmpty()) {
            return OptionalLong.of(Math.max(0, free));
        }
        long left =
                isAllocationKnown(reading, holds)
                        ? free - unallocated(reading, holds)
                        : fromTotals(used, free, holds);
        return OptionalLong.of(Math.max(0, left));
    }

    /** Whether the allocated memory of each attempt is known. */
    private static boolean isAllocationKnown(GpuReading reading, List<HeldClaim> holds) {
        return reading.processes().isPresent()
                && reading.processes().get().stream()
                        .filter(
                                process ->
                                        holds.stream()
                                                .anyMatch(hold -> isOf(process, hold.attempt())))
                        .allMatch(process -> process.usedMib().isPresent());
    }

    private static long unallocated(GpuReading reading, List<HeldClaim> holds) {
        return holds.stream()
                .mapToLong(
                        hold ->
                                Math.max(
                                        0,
                                        hold.claim().memoryMib()
                                                - allocated(reading, hold.attempt())))
                .sum();
    }

    private static long allocated(GpuReading reading, AttemptId attempt) {
        return reading.processes().orElse(List.of()).stream()
                .filter(process -> isOf(process, attempt))
                .mapToLong(process -> process.usedMib().orElse(0))
                .sum();
    }

    private static boolean isOf(GpuProcess process, AttemptId attempt) {
        return process.owner() instanceof ProcessOwner.BerthAttempt(var owner)
                && owner.equals(attempt);
    }

    /** Used memory up to the sum of the claims counts as the attempts'; the rest as others'. */
    private static long fromTotals(long used, long free, List<HeldClaim> holds) {
        long claimed = holds.stream().mapToLong(hold -> hold.claim().memoryMib()).sum();
        long usable = used + free;
        return Math.min(free, usable - claimed - Math.max(0, used - claimed));
    }
}
