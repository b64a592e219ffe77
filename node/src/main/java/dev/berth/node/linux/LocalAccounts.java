package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.berth.files.TimeLimitedCalls;
import dev.berth.port.read.Accounts;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The accounts as the C library lists them: {@code /etc/passwd}, and directory services such as
 * LDAP by SSSD. A service that does not answer costs threads of this class only, and each caller at
 * most ten seconds. A process has one of these, for requests, groups and starts of tasks alike.
 */
public final class LocalAccounts implements Accounts, AutoCloseable {

    private static final int THREADS = 4;

    private static final TimeLimitedCalls.Limits LIMITS =
            new TimeLimitedCalls.Limits(
                    Duration.ofSeconds(10), Duration.ofSeconds(10), THREADS, THREADS);

    /** Short: an account that was removed or got other groups must not be used for long. */
    private static final long KEPT_NANOS = Duration.ofSeconds(5).toNanos();

    private static final int MAX_KEPT = 1000;

    private static final int FIRST_BUFFER_BYTES = 4096;
    private static final int MAX_BUFFER_BYTES = 4 << 20;
    private static final int FIRST_GROUPS = 64;
    private static final int MAX_GROUPS = 65_536;

    /** {@code struct passwd} and {@code struct group} on 64-bit Linux. */
    private static final long PASSWD_BYTES = 48;

    private static final long UID_AT = 16;
    private static final long GID_AT = 20;
    private static final long HOME_AT = 32;
    private static final long SHELL_AT = 40;
    private static final long GROUP_BYTES = 32;

    private static final int ERANGE = 34;

    private static final Libc.Function BY_NAME = Libc.function("getpwnam_r");
    private static final Libc.Function BY_UID = Libc.function("getpwuid_r");
    private static final Libc.Function GROUP_BY_GID = Libc.function("getgrgid_r");
    private static final Libc.Function GROUP_BY_NAME = Libc.function("getgrnam_r");
    private static final Libc.Function GROUP_LIST = Libc.function("getgrouplist");

    private final ExecutorService threads = threadPool();
    private final TimeLimitedCalls calls = new TimeLimitedCalls(threads, LIMITS);
    private final Map<Object, Kept> kept = new ConcurrentHashMap<>();

    private record Kept(Account account, long since) {}

    private static ExecutorService threadPool() {
        var threads = Thread.ofPlatform().daemon().name("accounts-", 1).factory();
        var pool =
                new ThreadPoolExecutor(
                        THREADS,
                        THREADS,
                        1,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        threads);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    @Override
    public Optional<Account> named(String user) throws IOException {
        if (user.isEmpty() || user.indexOf('\0') >= 0) {
            return Optional.empty();
        }
        return find(
                user,
                arena -> {
                    var name = arena.allocateFrom(user).address();
                    return entry(arena, BY_NAME, name, PASSWD_BYTES, user);
                });
    }

    @Override
    public Optional<Account> withUid(int uid) throws IOException {
        return find(
                uid,
                arena ->
                        entry(
                                arena,
                                BY_UID,
                                Integer.toUnsignedLong(uid),
                                PASSWD_BYTES,
                                "uid " + uid));
    }

    @Override
    public boolean hasGroup(String name) throws IOException {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            return false;
        }
        return call(
                () -> {
                    try (var arena = Arena.ofConfined()) {
                        long group = arena.allocateFrom(name).address();
                        return entry(arena, GROUP_BY_NAME, group, GROUP_BYTES, "group " + name)
                                .isPresent();
                    }
                });
    }

    @FunctionalInterface
    private interface Lookup {
        Optional<MemorySegment> run(Arena arena) throws IOException;
    }

    /**
     * @param key a name or a uid; the two never meet, because their types differ
     */
    private Optional<Account> find(Object key, Lookup lookup) throws IOException {
        long now = System.nanoTime();
        var known = kept.get(key);
        if (known != null && now - known.since() < KEPT_NANOS) {
            return Optional.of(known.account());
        }
        var found = call(() -> account(lookup));
        if (kept.size() >= MAX_KEPT) {
            kept.clear();
        }
        found.ifPresentOrElse(
                account -> kept.put(key, new Kept(account, now)), () -> kept.remove(key));
        return found;
    }

    private <T> T call(TimeLimitedCalls.FileWork<T> lookup) throws IOException {
        try {
            return calls.call("the service for user accounts", lookup);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while an account was looked up", interrupted);
        } catch (RejectedExecutionException closed) {
            throw new IOException("accounts are not looked up any more", closed);
        }
    }

    private static Optional<Account> account(Lookup lookup) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var found = lookup.run(arena);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            var passwd = found.get();
            var name = text(passwd, 0);
            int gid = passwd.get(JAVA_INT, GID_AT);
            var gids = groups(arena, name, gid);
            var names = new ArrayList<String>();
            for (int one : gids) {
                groupName(arena, one).ifPresent(names::add);
            }
            return Optional.of(
                    new Account(
                            name,
                            passwd.get(JAVA_INT, UID_AT),
                            gid,
                            Path.of(text(passwd, HOME_AT)),
                            Path.of(text(passwd, SHELL_AT)),
                            gids,
                            names));
        }
    }

    /** These functions return an errno; a buffer that is too small gives ERANGE. */
    private static Optional<MemorySegment> entry(
            Arena arena, Libc.Function function, long key, long bytes, Object subject)
            throws IOException {
        var entry = arena.allocate(bytes, Long.BYTES);
        var result = arena.allocate(ADDRESS);
        for (int size = FIRST_BUFFER_BYTES; size <= MAX_BUFFER_BYTES; size *= 4) {
            var buffer = arena.allocate(size);
            int errno =
                    function.callInt(
                            Libc.state(arena),
                            key,
                            entry.address(),
                            buffer.address(),
                            size,
                            result.address());
            if (errno == 0) {
                return result.get(JAVA_LONG, 0) == 0 ? Optional.empty() : Optional.of(entry);
            }
            if (isUnknown(errno)) {
                return Optional.empty();
            }
            if (errno != ERANGE) {
                throw new ErrnoException("looking up the account", subject, errno);
            }
        }
        throw new IOException("the entry of the account " + subject + " is too long");
    }

    /** The manual lists these as "not found" for some services. */
    private static boolean isUnknown(int errno) {
        return errno == ErrnoException.ENOENT
                || errno == ErrnoException.ESRCH
                || errno == ErrnoException.EPERM;
    }

    /** All groups, as {@code initgroups} would set them; the primary one first. */
    private static List<Integer> groups(Arena arena, String name, int gid) throws IOException {
        var user = arena.allocateFrom(name).address();
        var count = arena.allocate(JAVA_INT);
        for (int room = FIRST_GROUPS; room <= MAX_GROUPS; room *= 4) {
            var list = arena.allocate(JAVA_INT, room);
            count.set(JAVA_INT, 0, room);
            int answer =
                    GROUP_LIST.callInt(
                            Libc.state(arena), user, gid, list.address(), count.address());
            if (answer >= 0) {
                var gids = new ArrayList<Integer>();
                for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
                    gids.add(list.getAtIndex(JAVA_INT, i));
                }
                return gids.stream().distinct().toList();
            }
        }
        throw new IOException("the account " + name + " is in too many groups");
    }

    private static Optional<String> groupName(Arena arena, int gid) throws IOException {
        return entry(arena, GROUP_BY_GID, Integer.toUnsignedLong(gid), GROUP_BYTES, "group " + gid)
                .map(group -> text(group, 0));
    }

    @SuppressWarnings("restricted")
    private static String text(MemorySegment entry, long at) {
        var address = entry.get(JAVA_LONG, at);
        return address == 0
                ? ""
                : MemorySegment.ofAddress(address).reinterpret(MAX_BUFFER_BYTES).getString(0);
    }

    /** Not awaited: a service may not answer. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
