package dev.berth.core.gpu;

/**
 * A GPU of a node. Berth keeps every GPU it has ever seen.
 *
 * @param index the driver's current number of it, in PCI bus order
 */
public record Gpu(GpuId id, int index, String model, long totalMib) {}
