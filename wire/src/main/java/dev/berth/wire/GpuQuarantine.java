package dev.berth.wire;

/** A request to quarantine a GPU. */
public record GpuQuarantine(String reason) {}
