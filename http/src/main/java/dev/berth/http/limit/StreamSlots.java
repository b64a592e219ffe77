package dev.berth.http.limit;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Limits how many streams each user holds open. */
public final class StreamSlots {

    private final int max;
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();

    public StreamSlots(int most) {
        this.max = most;
    }

    /** Counts until it is closed. */
    public final class Slot implements AutoCloseable {
        private final String principal;

        private Slot(String principal) {
            this.principal = principal;
        }

        @Override
        public void close() {
            taken.computeIfPresent(principal, (_, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Empty if the user has reached the limit. */
    public Optional<Slot> tryAcquire(String principal) {
        var isAdmitted = new boolean[1];
        taken.compute(
                principal,
                (_, known) -> {
                    int count = known == null ? 0 : known;
                    isAdmitted[0] = count < max;
                    return isAdmitted[0] ? Integer.valueOf(count + 1) : known;
                });
        return isAdmitted[0] ? Optional.of(new Slot(principal)) : Optional.empty();
    }

    public int max() {
        return max;
    }
}
