package dev.berth.core.gpu;

import java.util.Optional;

/**
 * A known GPU and whether it can be read now. All other code asks these methods; only the node's
 * readings decide it.
 */
public sealed interface GpuState {

    Gpu gpu();

    /** Empty if it cannot be read now. */
    Optional<GpuReading> currentReading();

    /** Why it cannot be read now, or is quarantined; empty if it can be used. */
    Optional<String> unreadable();

    /** Why it is out of use until it returns; empty while the problem may be temporary. */
    Optional<String> failure();

    default boolean isReadable() {
        return unreadable().isEmpty();
    }

    /**
     * True if it could be read before and cannot be read now, and this may be temporary.
     *
     * @param before empty if the GPU was not known
     */
    default boolean becameUnreadable(Optional<GpuState> before) {
        return before.filter(GpuState::isReadable).isPresent()
                && !isReadable()
                && failure().isEmpty();
    }

    record Readable(Gpu gpu, GpuReading reading) implements GpuState {
        @Override
        public Optional<GpuReading> currentReading() {
            return Optional.of(reading);
        }

        @Override
        public Optional<String> unreadable() {
            return Optional.empty();
        }

        @Override
        public Optional<String> failure() {
            return Optional.empty();
        }
    }

    /** Not readable now: nothing is started on it, and it does not count as free. */
    record Unknown(Gpu gpu, String reason) implements GpuState {
        @Override
        public Optional<GpuReading> currentReading() {
            return Optional.empty();
        }

        @Override
        public Optional<String> unreadable() {
            return Optional.of(reason);
        }

        @Override
        public Optional<String> failure() {
            return Optional.empty();
        }
    }

    /** Missing or broken while other GPUs can be read, so it is not a temporary driver problem. */
    record Failed(Gpu gpu, String reason) implements GpuState {
        @Override
        public Optional<GpuReading> currentReading() {
            return Optional.empty();
        }

        @Override
        public Optional<String> unreadable() {
            return Optional.of(reason);
        }

        @Override
        public Optional<String> failure() {
            return Optional.of(reason);
        }
    }

    /**
     * A person quarantined it: it may be read, but nothing starts there.
     *
     * @param currentReading what it shows although it is out of use
     */
    record Quarantined(Gpu gpu, String reason, Optional<GpuReading> currentReading)
            implements GpuState {
        @Override
        public Optional<String> unreadable() {
            return Optional.of(reason);
        }

        @Override
        public Optional<String> failure() {
            return Optional.of(reason);
        }
    }
}
