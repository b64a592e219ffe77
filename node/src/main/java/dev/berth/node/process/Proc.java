package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.ErrnoException;
import dev.berth.node.linux.SmallFile;

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
    /** 52 numbers and a name of 15 bytes: always shorter than this. */
    private static final int STAT_BYTES = 1024;

    private static final int STATUS_BYTES = 8192;
    private static final int BOOT_ID_BYTES = 64;
    private static final int UPTIME_BYTES = 128;

    /** Fixed for user space (USER_HZ), whatever the kernel uses internally. */
    private static final int TICKS_PER_SECOND = 100;

    private static final int CHUNK = 32 * 1024;

    private Proc() {}

    /**
     * Identifies the present boot of this host. A pid and start tick of another boot identify no
     * process.
     */
    public static String bootId() throws IOException {
        var text = SmallFile.read("/proc/sys/kernel/random/boot_id", BOOT_ID_BYTES);
        return new String(text, StandardCharsets.US_ASCII).strip();
    }

    /** The time of boot, from which start ticks count. */
    public static Instant bootTime() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/stat"))) {
            return lines.filter(line -> line.startsWith("btime "))
                    .map(line -> Instant.ofEpochSecond(Long.parseLong(line.substring(6).strip())))
                    .findFirst()
                    .orElseThrow(() -> new IOException("/proc/stat has no boot time"));
        }
    }

    /** Time since the start of a process of this boot, by the kernel's clock. */
    public static Duration age(ProcessKey key) throws IOException {
        var text =
                new String(SmallFile.read("/proc/uptime", UPTIME_BYTES), StandardCharsets.US_ASCII);
        var uptime = Double.parseDouble(text.substring(0, text.indexOf(' ')));
        var start = key.startTick() / (double) TICKS_PER_SECOND;
        return Duration.ofMillis(Math.max(0, (long) ((uptime - start) * 1000)));
    }

    /** Time between the boot and the start of the process. */
    public static Duration startAfterBoot(ProcessKey key) {
        return Duration.ofMillis(key.startTick() * (1000 / TICKS_PER_SECOND));
    }

    /** Empty if no process has this pid. */
    public static Optional<ProcessStat> stat(long pid) throws IOException {
        try {
            var line = SmallFile.read("/proc/" + pid + "/stat", STAT_BYTES);
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

    /**
     * Empty also if the process is hidden from us (mount option hidepid), which means that it
     * belongs to another user.
     */
    public static Optional<ProcessStat> statIfVisible(long pid) throws IOException {
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

    /** The key of the process that has this pid now, also if it is a zombie. */
    public static Optional<ProcessKey> key(String bootId, long pid) throws IOException {
        return stat(pid).map(stat -> new ProcessKey(bootId, pid, stat.startTick()));
    }

    public static Liveness liveness(ProcessKey key) {
        try {
            if (!key.bootId().equals(bootId())) {
                return Liveness.GONE;
            }
            // If /proc is not mounted, or hides even this process, a missing entry proves nothing.
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

    /** The real user id of the process, whatever its effective user is. */
    public static Optional<Long> userId(long pid) throws IOException {
        try {
            var status = SmallFile.read("/proc/" + pid + "/status", STATUS_BYTES);
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

    public static long userIdOfThisProcess() throws IOException {
        return userId(ProcessHandle.current().pid())
                .orElseThrow(() -> new IOException("/proc does not show this process"));
    }

    /**
     * Finds a variable in the environment with which a process was started. Uses the JDK and not a
     * direct system call: a process that hangs in the kernel can block the reader, and the JDK then
     * gives the virtual-thread scheduler an additional thread.
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
     * @param value empty if the variable is not set, the process has ended, or its environment may
     *     not be read
     * @param isEnvironmentEmpty the environment was readable and empty
     */
    public record Variable(Optional<String> value, boolean isEnvironmentEmpty) {}

    /** ENOENT: no entry; ESRCH: it ended between open and read. */
    private static boolean isGone(ErrnoException refused) {
        return refused.errno() == ErrnoException.ENOENT || refused.errno() == ErrnoException.ESRCH;
    }
}
