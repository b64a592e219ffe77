package dev.berth.wire;

/** Result of a test notification. */
public record ReceiverTest(boolean delivered, String detail) {}
