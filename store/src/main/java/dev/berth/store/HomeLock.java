package dev.berth.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * One server per home. The kernel drops a process's lock on a file when the process closes
 * <em>any</em> descriptor of it, so {@code HOME/lock} is opened once and nobody else in this
 * program may open it; who holds it is written beside it, in {@code HOME/lock.holder}.
 */
public final class HomeLock implements AutoCloseable {

    private static final Pattern HOLDER = Pattern.compile("pid=(\\d+)\naddress=(.*)\n");

    /**
     * Locks of this process by the file's identity. They are also kept from the collector, which
     * would close them.
     */
    private static final Map<Object, HomeLock> HELD = new HashMap<>();

    private final Path home;
    private final Object file;
    private final FileChannel channel;
    private final FileLock lock;

    private HomeLock(Path home, Object file, FileChannel channel, FileLock lock) {
        this.home = home;
        this.file = file;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Makes the home's directory where there is none.
     *
     * @throws HomeRefused if another server holds it, which is named, or if it cannot be used at
     *     all
     */
    public static HomeLock take(Path home) throws HomeRefused {
        synchronized (HELD) {
            try {
                Files.createDirectories(home, mode("rwx------"));
                return take(home, home.resolve("lock"));
            } catch (IOException e) {
                throw new HomeRefused("The home " + home + " cannot be used: " + e, e);
            }
        }
    }

    private static HomeLock take(Path home, Path path) throws HomeRefused, IOException {
        if (Files.exists(path) && HELD.containsKey(identity(path))) {
            throw inUse(home);
        }
        var channel =
                FileChannel.open(
                        path,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                        mode("rw-------"));
        var lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            throw inUse(home);
        }
        var taken = new HomeLock(home, identity(path), channel, lock);
        HELD.put(taken.file, taken);
        try {
            taken.announce("");
        } catch (IOException e) {
            taken.close();
            throw e;
        }
        return taken;
    }

    private static Object identity(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /** Tells others where this server can be reached. */
    public void announce(String address) throws IOException {
        var fresh = home.resolve("lock.holder.new");
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, mode("rw-------"));
        Files.writeString(
                fresh, "pid=" + ProcessHandle.current().pid() + "\naddress=" + address + "\n");
        Files.move(
                fresh,
                holderFile(home),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Who took the home last. It may be gone since; only the lock says whether it still holds it.
     */
    public static Optional<Holder> holder(Path home) throws IOException {
        try {
            var matcher = HOLDER.matcher(Files.readString(holderFile(home)));
            return matcher.matches()
                    ? Optional.of(new Holder(Long.parseLong(matcher.group(1)), matcher.group(2)))
                    : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (HELD) {
            if (lock.isValid()) {
                Files.deleteIfExists(holderFile(home));
                HELD.remove(file);
                channel.close();
            }
        }
    }

    private static HomeRefused inUse(Path home) throws IOException {
        var who = holder(home).map(Holder::toString).orElse("another process");
        return new HomeRefused(
                "The home %s is in use by %s. Stop that server first, or choose another home with --home."
                        .formatted(home, who));
    }

    private static Path holderFile(Path home) {
        return home.resolve("lock.holder");
    }

    private static FileAttribute<?> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    /**
     * @param address empty until the server listens
     */
    public record Holder(long pid, String address) {
        @Override
        public String toString() {
            return "the Berth server with pid " + pid + (address.isEmpty() ? "" : " at " + address);
        }
    }
}
