package dev.berth.store;

import dev.berth.files.AtomicFile;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
 * Ensures that one server at a time uses a home. The kernel drops a process's lock on a file when
 * the process closes <em>any</em> descriptor of it. So {@code HOME/lock} is opened once, and no
 * other code in this process may open it. The holder is described in a second file, {@code
 * HOME/lock.holder}.
 */
public final class HomeLock implements AutoCloseable {

    private static final Pattern HOLDER = Pattern.compile("pid=(\\d+)\naddress=(.*)\n");

    /**
     * The locks of this process by the file's identity. The map also keeps them reachable: the
     * garbage collector would close them.
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
     * Creates the home's directory if it does not exist.
     *
     * @throws HomeRefused if another server holds it, whose pid is in the message, or if the
     *     directory cannot be used
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
            taken.publishAddress("");
        } catch (IOException e) {
            taken.close();
            throw e;
        }
        return taken;
    }

    private static Object identity(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /** The locked file. */
    public Path path() {
        return home.resolve("lock");
    }

    /**
     * True if the locked file is no longer at its path, and another server has locked the file that
     * is there now.
     */
    public boolean isReplacedByOther() throws IOException {
        synchronized (HELD) {
            var path = path();
            var holder = holder(home).map(LockHolder::pid);
            if (holder.isEmpty()
                    || holder.get() == ProcessHandle.current().pid()
                    || !Files.exists(path)
                    || HELD.containsKey(identity(path))) {
                return false;
            }
            // Another file than ours, so closing it does not release our lock.
            try (var other = FileChannel.open(path, StandardOpenOption.WRITE);
                    var free = other.tryLock()) {
                return free == null;
            }
        }
    }

    /** Publishes this server's address for other programs. */
    public void publishAddress(String address) throws IOException {
        var text = "pid=" + ProcessHandle.current().pid() + "\naddress=" + address + "\n";
        AtomicFile.replace(
                holderFile(home),
                text.getBytes(StandardCharsets.UTF_8),
                AtomicFile.Options.unsynced("lock.holder.new"));
    }

    /**
     * The last holder. It may have exited since: only the lock tells whether the home is in use.
     */
    public static Optional<LockHolder> holder(Path home) throws IOException {
        try {
            var matcher = HOLDER.matcher(Files.readString(holderFile(home)));
            return matcher.matches()
                    ? Optional.of(
                            new LockHolder(Long.parseLong(matcher.group(1)), matcher.group(2)))
                    : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (HELD) {
            if (lock.isValid()) {
                if (Files.exists(path()) && file.equals(identity(path()))) {
                    Files.deleteIfExists(holderFile(home));
                }
                HELD.remove(file);
                channel.close();
            }
        }
    }

    private static HomeRefused inUse(Path home) throws IOException {
        var holder = holder(home).map(LockHolder::toString).orElse("another process");
        return new HomeRefused(
                "The home %s is in use by %s. Stop that server first, or choose another home with --home."
                        .formatted(home, holder));
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
    public record LockHolder(long pid, String address) {
        @Override
        public String toString() {
            return "the Berth server with pid " + pid + (address.isEmpty() ? "" : " at " + address);
        }
    }
}
