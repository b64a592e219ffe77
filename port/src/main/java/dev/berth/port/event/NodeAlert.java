package dev.berth.port.event;

import dev.berth.core.AlertLevel;

/** Alerts about a whole node or the server. */
public sealed interface NodeAlert extends AlertPayload {

    @Override
    default AlertLevel alertLevel() {
        return switch (this) {
            case GpusUnreadable _, DiskLow _ -> AlertLevel.CRITICAL;
            case NotificationUndelivered _ -> AlertLevel.WARNING;
            case GpusReadable _, DiskRecovered _ -> AlertLevel.INFO;
        };
    }

    /** No GPU of the node can be read. */
    record GpusUnreadable(String node, String why) implements NodeAlert {}

    record GpusReadable(String node) implements NodeAlert {}

    record DiskLow(String node, long freeMib) implements NodeAlert {}

    record DiskRecovered(String node, long freeMib) implements NodeAlert {}

    record NotificationUndelivered(String receiver, String why) implements NodeAlert {}
}
