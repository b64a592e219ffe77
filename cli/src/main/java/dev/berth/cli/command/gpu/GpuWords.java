package dev.berth.cli.command.gpu;

import dev.berth.wire.GpuInfo;

/** The state of a GPU in one word. */
public final class GpuWords {

    private GpuWords() {}

    /** A GPU that a person quarantined is in order, as far as Berth can tell. */
    public static String status(GpuInfo gpu) {
        return isQuarantined(gpu) ? "quarantined" : gpu.status();
    }

    /** The only machine of a server without a cluster is the node {@code local}. */
    public static boolean isElsewhere(String node) {
        return !node.isEmpty() && !node.equals("local");
    }

    public static boolean isQuarantined(GpuInfo gpu) {
        GpuInfo.Fault fault = gpu.fault();
        return gpu.status().equals("error") && fault != null && fault.kind().equals("person");
    }
}
