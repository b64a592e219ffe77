package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.ErrnoException;
import dev.berth.node.linux.RawFile;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Reads single processes from {@code /proc}. */
public final class Proc {
    /** 52 numbers and a name of 15 bytes: the kernel never writes so much. */
    private static final int STAT_BYTES = 1024;

    private static final int STATUS_BYTES = 8192;
    private static final int BOOT_ID_BYTES = 64;
    private static final int UPTIME_BYTES = 128;

    /** What the kernel shows to programs, whatever it counts in itself. */
    private static final int TICKS_PER_SECOND = 100;

    private static final int CHUNK = 32 * 1024;

    private Proc() {}

    /** Which boot of this host it is: a pid and start tick of another boot name nobody. */
    public static String bootId() throws IOException {
        var text = RawFile.read("/proc/sys/kernel/random/boot_id", BOOT_ID_BYTES);
        return new String(text, StandardCharsets.US_ASCII).strip();
    }

    /** When this host was booted, which is what start ticks count from. */
    public static Instant bootTime() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/stat"))) {
            return lines.filter(line -> line.startsWith("btime "))
                    .map(line -> Instant.ofEpochSecond(Long.parseLong(line.substring(6).strip())))
                    .findFirst()
                    .orElseThrow(() -> new IOException("/proc/stat tells no boot time"));
        }
    }

    /** How long ago a process of this boot was started, by the kernel's clock. */
    public static Duration age(ProcessKey key) throws IOException {
        var text =
                new String(RawFile.read("/proc/uptime", UPTIME_BYTES), StandardCharsets.US_ASCII);
        var uptime = Double.parseDouble(text.substring(0, text.indexOf(' ')));
        var start = key.startTick() / (double) TICKS_PER_SECOND;
        return Duration.ofMillis(Math.max(0, (long) ((uptime - start) * 1000)));
    }

    /** How long after its boot a process was started. */
    public static Duration sinceBoot(ProcessKey key) {
        return Duration.ofMillis(key.startTick() * (1000 / TICKS_PER_SECOND));
    }

    /** Empty where no process has this pid. */
    public static Optional<ProcessStat> stat(long pid) throws IOException {
        try {
            var line = RawFile.read("/proc/" + pid + "/stat", STAT_BYTES);
            var stat = ProcessStat.parse(line);
            if (stat.isEmpty() && line.length > 0) {
                throw new IOException("/proc/" + pid + "/stat is not of the known form");
            }
            return stat;
        } catch (ErrnoException refused) {
            if (isGone(refused)) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    /** Empty also where it is hidden from us (mount option hidepid): then it is another user's. */
    public static Optional<ProcessStat> visible(long pid) throws IOException {
        try {
            return stat(pid);
        } catch (ErrnoException refused) {
            if (refused.errno() == ErrnoException.EPERM
                    || refused.errno() == ErrnoException.EACCES) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    /** The key of whatever process has this pid now, a zombie too. */
    public static Optional<ProcessKey> key(String bootId, long pid) throws IOException {
        return stat(pid).map(stat -> new ProcessKey(bootId, pid, stat.startTick()));
    }

    public static Liveness liveness(ProcessKey key) {
        try {
            if (!key.bootId().equals(bootId())) {
                return Liveness.GONE;
            }
            // Where /proc is not mounted, or hides us from ourselves, a missing entry means
            // nothing.
            if (stat(ProcessHandle.current().pid()).isEmpty()) {
                return Liveness.UNREADABLE;
            }
            var stat = stat(key.pid());
            return stat.isPresent()
                            && stat.get().startTick() == key.startTick()
                            && stat.get().isAlive()
                    ? Liveness.ALIVE
                    : Liveness.GONE;
        } catch (IOException unreadable) {
            return Liveness.UNREADABLE;
        }
    }

    /** Whose it is: the real user, whatever it runs as. */
    public static Optional<Long> user(long pid) throws IOException {
        try {
            var status = RawFile.read("/proc/" + pid + "/status", STATUS_BYTES);
            return new String(status, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("Uid:"))
                    .map(line -> Long.parseLong(line.split("\t", -1)[1]))
                    .findFirst();
        } catch (ErrnoException refused) {
            if (isGone(refused)) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    /**
     * Looks for a variable in the environment a process was started with. Read by the JDK and not
     * by a bare call: a process that hangs inside the kernel can hold the reader, and the JDK then
     * lends the scheduler of virtual threads another thread.
     */
    public static Variable variable(long pid, String name) {
        var search = new VariableSearch(name);
        var isBlank = true;
        try (var environment = new FileInputStream("/proc/" + pid + "/environ")) {
            var chunk = new byte[CHUNK];
            int length;
            while ((length = environment.read(chunk)) > 0) {
                isBlank = false;
                if (search.take(chunk, length)) {
                    break;
                }
            }
            return new Variable(search.value(), isBlank);
        } catch (IOException hidden) {
            return new Variable(Optional.empty(), false);
        }
    }

    /**
     * @param value empty where it has none, has ended, or does not let us look
     * @param isBlank there was nothing at all to read
     */
    public record Variable(Optional<String> value, boolean isBlank) {}

    /** ENOENT: no entry; ESRCH: it ended between open and read. */
    private static boolean isGone(ErrnoException refused) {
        return refused.errno() == ErrnoException.ENOENT || refused.errno() == ErrnoException.ESRCH;
    }
}
