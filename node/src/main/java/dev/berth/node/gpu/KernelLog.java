package dev.berth.node.gpu;

import dev.berth.node.linux.FollowedFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Reads the driver's errors from the kernel's log, or from a file to which a log daemon writes it.
 * If the log may not be read, these errors are not seen; nothing else depends on it.
 */
final class KernelLog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(KernelLog.class);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);
    private static final int MAX_LINE_CHARS = 16_384;
    private static final int MAX_READS = 1000;

    /**
     * As the kernel writes it ({@code 3,1234,56789,-;NVRM: …}), as dmesg shows it, or after the
     * prefix of a log daemon. Nothing else may precede it, because users can make the kernel log
     * any text within a line.
     */
    private static final Pattern LINE =
            Pattern.compile(
                    "^(?:\\d+,\\d+,\\d+,[^;]*;|\\[[ 0-9.]+] |.{0,200} kernel: (?:\\[[ 0-9.]+] )?|)"
                            + "NVRM: Xid \\((?:PCI:)?([0-9a-fA-F:.]+)\\): (\\d{1,4})\\b.*");

    private final Path path;
    private final XidListener listener;
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("kernel-log").daemon().factory());

    // Used by that thread only.
    private Optional<FollowedFile> file = Optional.empty();
    private Optional<Object> identity = Optional.empty();
    private long position;
    private boolean hasFailed;
    private final StringBuilder line = new StringBuilder();

    private KernelLog(Path path, XidListener listener) {
        this.path = path;
        this.listener = listener;
    }

    /** Empty if the log cannot be read. */
    static Optional<KernelLog> follow(Path path, XidListener listener) {
        var followed = new KernelLog(path, listener);
        try {
            var _ = followed.open();
        } catch (IOException unreadable) {
            log.info("GPU errors are not read from the kernel's log: {}", unreadable.toString());
            followed.close();
            return Optional.empty();
        }
        var _ =
                followed.scheduler.scheduleWithFixedDelay(
                        followed::poll, 0, POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        return Optional.of(followed);
    }

    /**
     * A log daemon that rotates its file may leave none for a moment, or one that we may not read
     * yet.
     */
    private void poll() {
        try {
            boolean isAllRead = catchUp(file.isPresent() ? file.get() : open());
            hasFailed = false;
            if (isAllRead && isRotated()) {
                closeFile();
            }
        } catch (IOException | RuntimeException failure) {
            if (!hasFailed) {
                log.warn("the kernel's log cannot be read for now: {}", failure.toString());
            }
            hasFailed = true;
            closeFile();
        }
    }

    /** Continues at the end of the same file; reads a new file from its beginning. */
    private FollowedFile open() throws IOException {
        boolean isFromEnd = !isRotated();
        var opened = FollowedFile.open(path, isFromEnd);
        file = Optional.of(opened);
        identity = identity();
        position = isFromEnd ? Files.size(path) : 0;
        line.setLength(0);
        return opened;
    }

    /** True if everything was read. In a log that grows fast, the rest is read at the next poll. */
    private boolean catchUp(FollowedFile from) throws IOException {
        for (int reads = 0; reads < MAX_READS; reads++) {
            var chunk = from.read();
            if (chunk.length == 0) {
                return true;
            }
            position += chunk.length;
            take(chunk);
        }
        return false;
    }

    private void take(byte[] chunk) {
        for (char letter : new String(chunk, StandardCharsets.ISO_8859_1).toCharArray()) {
            if (letter == '\n') {
                read(line.toString(), listener);
                line.setLength(0);
            } else if (line.length() < MAX_LINE_CHARS) {
                line.append(letter);
            }
        }
    }

    static void read(String line, XidListener listener) {
        var match = LINE.matcher(line);
        if (match.matches()) {
            PciAddress.parse(match.group(1))
                    .ifPresent(
                            address -> listener.onXid(address, Integer.parseInt(match.group(2))));
        }
    }

    /** True after a log daemon has rotated the file. */
    private boolean isRotated() throws IOException {
        if (identity.isEmpty() || !Files.exists(path)) {
            return false;
        }
        return !identity.equals(identity()) || Files.size(path) < position;
    }

    /** Empty for a device, which never changes. */
    private Optional<Object> identity() throws IOException {
        var attributes = Files.readAttributes(path, BasicFileAttributes.class);
        return attributes.isOther()
                ? Optional.empty()
                : Optional.of(Objects.requireNonNullElse(attributes.fileKey(), path));
    }

    @Override
    public void close() {
        if (!scheduler.isShutdown()) {
            scheduler.execute(this::closeFile);
            scheduler.shutdown();
        }
    }

    private void closeFile() {
        try {
            if (file.isPresent()) {
                file.get().close();
            }
        } catch (IOException failure) {
            log.debug("closing {}", path, failure);
        } finally {
            file = Optional.empty();
        }
    }
}
