package dev.berth.identity;

import dev.berth.port.read.Accounts;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Remembers accounts for a minute. A look-up may ask another machine, so it runs on threads of its
 * own and its caller waits for a limited time. While the name services do not answer, what they
 * said last stays valid for some minutes: an outage must not lock everyone out.
 */
public final class CachedAccounts implements Accounts {

    static final Duration FRESH = Duration.ofSeconds(60);
    static final Duration USABLE = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Bounds the memory; the oldest entries are dropped. */
    private static final int MAX_ENTRIES = 10_000;

    private final Accounts accounts;
    private final ExecutorService lookups;
    private final LongSupplier nanos;
    private final Map<Object, KnownAccount> entries =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Object, KnownAccount> eldest) {
                    return size() > MAX_ENTRIES;
                }
            };

    private record KnownAccount(Optional<Account> account, long atNanos) {}

    /**
     * @param lookups platform threads: a look-up blocks in native code
     * @param nanos a monotonic clock
     */
    public CachedAccounts(Accounts accounts, ExecutorService lookups, LongSupplier nanos) {
        this.accounts = accounts;
        this.lookups = lookups;
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

    /**
     * @param key a name or a uid
     */
    private Optional<Account> find(Object key, Callable<Optional<Account>> lookup)
            throws IOException {
        var known = entry(key);
        if (known.isPresent() && age(known.get()) < FRESH.toNanos()) {
            return known.get().account();
        }
        try {
            var found = ask(lookup);
            keep(key, new KnownAccount(found, nanos.getAsLong()));
            return found;
        } catch (IOException failure) {
            if (known.isPresent() && age(known.get()) < USABLE.toNanos()) {
                return known.get().account();
            }
            throw failure;
        }
    }

    private Optional<Account> ask(Callable<Optional<Account>> lookup) throws IOException {
        try {
            var answer = lookups.submit(lookup);
            try {
                return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } finally {
                answer.cancel(false);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while looking up an account", e);
        } catch (TimeoutException e) {
            throw new IOException(
                    "the name services have not answered for " + PATIENCE.toSeconds() + " s", e);
        } catch (RejectedExecutionException e) {
            throw new IOException("the server is stopping", e);
        } catch (ExecutionException e) {
            throw new IOException("an account could not be looked up: " + e.getMessage(), e);
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
