package dev.berth.wire;

/** A request to take a card out of use. */
public record GpuQuarantine(String reason) {}
