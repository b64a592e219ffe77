package dev.berth.identity;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits attempts to log in by password: for each user from one address, for each address, and for
 * each user from all addresses. The last limit is higher, so that a stranger cannot lock a user out
 * with a few wrong passwords.
 */
public final class LoginLimit {

    static final int PER_USER_AND_ADDRESS = 5;
    static final int PER_ADDRESS = 20;
    static final int PER_USER = 50;
    static final Duration WINDOW = Duration.ofMinutes(5);

    /** Bounds the memory; the oldest are forgotten. */
    private static final int MAX_KEYS = 10_000;

    private final LongSupplier nanos;
    private final Map<String, Deque<Long>> attempts =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Deque<Long>> eldest) {
                    return size() > MAX_KEYS;
                }
            };

    /**
     * @param nanos a monotonic clock
     */
    public LoginLimit(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Counts an attempt, unless there were too many. */
    public synchronized boolean tryBegin(String user, String address) {
        long now = nanos.getAsLong();
        if (recent(pair(user, address), now).size() >= PER_USER_AND_ADDRESS
                || recent("@" + address, now).size() >= PER_ADDRESS
                || recent(user, now).size() >= PER_USER) {
            return false;
        }
        recent(pair(user, address), now).add(now);
        recent("@" + address, now).add(now);
        recent(user, now).add(now);
        return true;
    }

    /** After a correct password the user's attempts from this address do not count any more. */
    public synchronized void succeeded(String user, String address) {
        attempts.remove(pair(user, address));
    }

    private Deque<Long> recent(String key, long now) {
        var times = attempts.computeIfAbsent(key, _ -> new ArrayDeque<>());
        while (!times.isEmpty() && now - times.getFirst() >= WINDOW.toNanos()) {
            times.removeFirst();
        }
        return times;
    }

    private static String pair(String user, String address) {
        return user + "@" + address;
    }
}
