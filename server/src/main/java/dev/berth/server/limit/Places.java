package dev.berth.server.limit;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Room for what is held open, so much for each user. */
public final class Places {

    private final int most;
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();

    public Places(int most) {
        this.most = most;
    }

    /** One that is taken until it is closed. */
    public final class Place implements AutoCloseable {
        private final String principal;

        private Place(String principal) {
            this.principal = principal;
        }

        @Override
        public void close() {
            taken.computeIfPresent(principal, (_, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Nothing when the user has all of theirs. */
    public Optional<Place> take(String principal) {
        var isMine = new boolean[1];
        taken.compute(
                principal,
                (_, known) -> {
                    int count = known == null ? 0 : known;
                    isMine[0] = count < most;
                    return isMine[0] ? Integer.valueOf(count + 1) : known;
                });
        return isMine[0] ? Optional.of(new Place(principal)) : Optional.empty();
    }

    public int most() {
        return most;
    }
}
