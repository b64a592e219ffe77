package dev.berth.core.gpu;

import java.time.Instant;
import java.util.Locale;

/**
 * Why a GPU is quarantined: nothing starts there until it has passed a test or a person releases
 * it.
 */
public record GpuFault(GpuId gpu, Kind kind, String reason, Instant since, Stage stage) {

    public enum Kind {
        /** The driver no longer lists the GPU. */
        MISSING(true),
        /** The driver reported a hardware error. */
        XID(true),
        /** The driver reported uncorrectable memory errors. */
        ECC(true),
        /** The GPU throttles because of its temperature. */
        HOT(false),
        /** Several different tasks in a row failed on it with errors typical of broken hardware. */
        FAILURES(false),
        /** A worker on it does not answer; until another one does. */
        WORKER(false),
        /** A person quarantined it. */
        PERSON(false);

        private final boolean stopsRunningTasks;

        Kind(boolean endsWork) {
            this.stopsRunningTasks = endsWork;
        }

        /** Whether tasks running on the GPU are stopped; otherwise they may finish. */
        public boolean stopsRunningTasks() {
            return stopsRunningTasks;
        }

        public String code() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public enum Stage {
        /** A test is running; the GPU is used again if it passes. */
        TESTING,
        /** Quarantined until a person releases it. */
        OUT
    }

    public GpuFault with(Stage other) {
        return new GpuFault(gpu, kind, reason, since, other);
    }
}
