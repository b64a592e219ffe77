package dev.berth.port.event;

import dev.berth.core.AlertLevel;
import dev.berth.core.task.MachineFault;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;

/** Alerts about a whole node or the server. */
public sealed interface NodeAlert extends AlertPayload {

    @Override
    default AlertLevel alertLevel() {
        return switch (this) {
            case GpusUnreadable _,
                    DiskLow _,
                    StartsPaused _,
                    StoreUnwritable _,
                    DatabaseDamaged _ ->
                    AlertLevel.CRITICAL;
            case NotificationUndelivered _, BackupFailed _, WorkerOffline _, ModelSetAside _ ->
                    AlertLevel.WARNING;
            case GpusReadable _, DiskRecovered _, StartsResumed _, StoreWritable _ ->
                    AlertLevel.INFO;
        };
    }

    /** No GPU of the node can be read. */
    record GpusUnreadable(String node, String why) implements NodeAlert {}

    record GpusReadable(String node) implements NodeAlert {}

    /**
     * @param freeInodes empty if the file system does not count them
     */
    record DiskLow(String node, long freeMib, OptionalLong freeInodes) implements NodeAlert {}

    record DiskRecovered(String node, long freeMib, OptionalLong freeInodes) implements NodeAlert {}

    /** The machine cannot start tasks; they wait. */
    record StartsPaused(String node, MachineFault.Kind fault, String why) implements NodeAlert {}

    /**
     * @param paused how long no task started
     */
    record StartsResumed(String node, Duration paused) implements NodeAlert {
        public StartsResumed {
            paused = paused.truncatedTo(ChronoUnit.SECONDS);
        }
    }

    /** The database cannot be written: this alert is sent, but cannot be stored. */
    record StoreUnwritable(String why) implements NodeAlert {}

    /**
     * @param why its first error
     */
    record StoreWritable(String why, Duration failedFor) implements NodeAlert {
        public StoreWritable {
            failedFor = failedFor.truncatedTo(ChronoUnit.SECONDS);
        }
    }

    record NotificationUndelivered(String receiver, String why) implements NodeAlert {}

    record DatabaseDamaged(String what) implements NodeAlert {}

    record BackupFailed(String why) implements NodeAlert {}

    /** A worker does not answer; it is ended and started again. */
    record WorkerOffline(String model, int gpu, String why) implements NodeAlert {}

    /** The workers of a model fail again and again; its tasks wait until it is changed. */
    record ModelSetAside(String model, String why) implements NodeAlert {}
}
