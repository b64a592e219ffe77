package dev.berth.identity;

import dev.berth.port.read.Accounts;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Remembers accounts for a minute. While the name services do not answer, what they said last stays
 * valid for some minutes: an outage must not lock everyone out.
 */
public final class CachedAccounts implements Accounts {

    static final Duration FRESH = Duration.ofSeconds(60);
    static final Duration USABLE = Duration.ofMinutes(10);

    /** Bounds the memory; the oldest entries are dropped. */
    private static final int MAX_ENTRIES = 10_000;

    private final Accounts accounts;
    private final LongSupplier nanos;
    private final Map<Object, KnownAccount> entries =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Object, KnownAccount> eldest) {
                    return size() > MAX_ENTRIES;
                }
            };

    @FunctionalInterface
    private interface Lookup {
        Optional<Account> run() throws IOException;
    }

    private record KnownAccount(Optional<Account> account, long atNanos) {}

    /**
     * @param nanos a monotonic clock
     */
    public CachedAccounts(Accounts accounts, LongSupplier nanos) {
        this.accounts = accounts;
        this.nanos = nanos;
    }

    @Override
    public Optional<Account> named(String user) throws IOException {
        return find(user, () -> accounts.named(user));
    }

    @Override
    public Optional<Account> withUid(int uid) throws IOException {
        return find(uid, () -> accounts.withUid(uid));
    }

    /** Not kept: only admins ask, when they change a rule. */
    @Override
    public boolean hasGroup(String name) throws IOException {
        return accounts.hasGroup(name);
    }

    /**
     * @param key a name or a uid
     */
    private Optional<Account> find(Object key, Lookup lookup) throws IOException {
        var known = entry(key);
        if (known.isPresent() && age(known.get()) < FRESH.toNanos()) {
            return known.get().account();
        }
        try {
            var found = lookup.run();
            keep(key, new KnownAccount(found, nanos.getAsLong()));
            return found;
        } catch (IOException failure) {
            if (known.isPresent() && age(known.get()) < USABLE.toNanos()) {
                return known.get().account();
            }
            throw failure;
        }
    }

    private long age(KnownAccount entry) {
        return nanos.getAsLong() - entry.atNanos();
    }

    private synchronized Optional<KnownAccount> entry(Object key) {
        return Optional.ofNullable(entries.get(key));
    }

    private synchronized void keep(Object key, KnownAccount entry) {
        entries.remove(key);
        entries.put(key, entry);
    }
}
