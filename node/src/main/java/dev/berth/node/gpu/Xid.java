package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuFault;

import java.util.Optional;

/**
 * What one of the driver's numbered errors means for the GPU. Only hardware errors take a GPU out
 * of use; a program can cause the others on a healthy GPU.
 *
 * @param fault what is wrong with the GPU; empty if the error does not prove a fault
 * @param text the driver's text, for users
 */
record Xid(int number, Optional<GpuFault.Kind> fault, String text) {

    /** Empty if this table does not contain the number. */
    static Optional<Xid> of(int number) {
        return switch (number) {
            // Two bits of a word flipped: the data was wrong, and a task may have used it.
            case 48 -> memory(number, "double bit ECC error");
            // The bad page or row could not be recorded, so it will be used again.
            case 64 -> memory(number, "ECC page retirement or row remap failed");
            // Contained: only the processes that used the memory were ended, but the row is still
            // bad.
            case 94 -> memory(number, "contained ECC error");
            // Every process on the GPU may have used the wrong data.
            case 95 -> memory(number, "uncontained ECC error");
            // The newer number for an uncorrectable error.
            case 140 -> memory(number, "unrecovered ECC error");
            // The GPU's internal controller has stopped; only a reset restarts it.
            case 62 -> gpu(number, "internal micro-controller halt");
            // The link between GPUs: tasks on several GPUs fail or hang.
            case 74 -> gpu(number, "NVLINK error");
            // The GPU is no longer reachable on the PCI bus.
            case 79 -> gpu(number, "GPU has fallen off the bus");
            // The GPU's system processor does not answer the driver.
            case 119 -> gpu(number, "GSP RPC timeout");
            case 120 -> gpu(number, "GSP error");
            // The GPU did not initialise.
            case 143 -> gpu(number, "GPU initialization failure");
            // A kernel that stops, reads an invalid address or misuses a unit: caused by the
            // program, or too unspecific to prove a fault of the GPU.
            case 8, 43 -> program(number, "GPU stopped processing");
            case 13 -> program(number, "graphics engine exception");
            case 31 -> program(number, "GPU memory page fault");
            case 32 -> program(number, "invalid or corrupted push buffer stream");
            case 68 -> program(number, "NVDEC0 exception");
            case 69 -> program(number, "graphics engine class error");
            // The driver cleans up after a program that was ended.
            case 45 -> program(number, "preemptive cleanup, due to previous errors");
            // A bad row or page was retired as designed. If work is in danger, 48, 94 or 95 is
            // reported too, and a repair that needs a reset shows up in the health reading.
            case 63 -> program(number, "ECC page retirement or row remapping recording event");
            // Many errors, all corrected: no result is wrong.
            case 92 -> program(number, "high single-bit ECC error rate");
            // The health reading shows the same recommendation.
            case 154 -> program(number, "GPU recovery action changed");
            default -> Optional.empty();
        };
    }

    private static Optional<Xid> memory(int number, String words) {
        return Optional.of(new Xid(number, Optional.of(GpuFault.Kind.ECC), words));
    }

    private static Optional<Xid> gpu(int number, String words) {
        return Optional.of(new Xid(number, Optional.of(GpuFault.Kind.XID), words));
    }

    private static Optional<Xid> program(int number, String words) {
        return Optional.of(new Xid(number, Optional.empty(), words));
    }

    String describe() {
        return "Xid " + number + ": " + text;
    }
}
