package dev.berth.wire;

/** What became of a message that was sent to try a receiver. */
public record ReceiverTest(boolean delivered, String detail) {}
