package dev.berth.core.task;

import dev.berth.core.gpu.GpuId;

/**
 * What an attempt holds of one GPU.
 *
 * @param memoryMib memory reserved for the attempt; 0 if the task stated none
 * @param isExclusive no other attempt may hold this GPU
 */
public record Claim(GpuId gpu, long memoryMib, boolean isExclusive) {}
