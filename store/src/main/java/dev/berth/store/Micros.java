package dev.berth.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalLong;

/** The stored form of a time: microseconds since 1970 UTC. Finer digits are cut off. */
final class Micros {

    private static final long PER_SECOND = 1_000_000;

    private Micros() {}

    static long of(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time.truncatedTo(ChronoUnit.MICROS));
    }

    static Instant instant(long micros) {
        return Instant.ofEpochSecond(
                Math.floorDiv(micros, PER_SECOND), Math.floorMod(micros, PER_SECOND) * 1000);
    }

    static OptionalLong of(Optional<Instant> time) {
        return time.isPresent() ? OptionalLong.of(of(time.get())) : OptionalLong.empty();
    }

    static Optional<Instant> instant(OptionalLong micros) {
        return micros.isPresent() ? Optional.of(instant(micros.getAsLong())) : Optional.empty();
    }
}
