package dev.berth.node.card;

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
 * Reads the driver's errors from the kernel's log, or from a file that a system's log daemon writes
 * it to. A log that may not be read tells of nothing, and nothing depends on it.
 */
final class KernelLog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(KernelLog.class);

    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    private static final int LONGEST_LINE = 16_384;
    private static final int MOST_READS = 1000;

    /**
     * As the kernel gives it ({@code 3,1234,56789,-;NVRM: …}), as dmesg shows it, or below a log
     * daemon's own prefix. Nothing else may stand before it: others can make the kernel log what
     * they want within a line.
     */
    private static final Pattern LINE =
            Pattern.compile(
                    "^(?:\\d+,\\d+,\\d+,[^;]*;|\\[[ 0-9.]+] |.{0,200} kernel: (?:\\[[ 0-9.]+] )?|)"
                            + "NVRM: Xid \\((?:PCI:)?([0-9a-fA-F:.]+)\\): (\\d{1,4})\\b.*");

    private final Path path;
    private final XidEar ear;
    private final ScheduledExecutorService looks =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("kernel-log").daemon().factory());

    // Used by that thread alone.
    private Optional<FollowedFile> file = Optional.empty();
    private Optional<Object> identity = Optional.empty();
    private long position;
    private boolean hasFailed;
    private final StringBuilder line = new StringBuilder();

    private KernelLog(Path path, XidEar ear) {
        this.path = path;
        this.ear = ear;
    }

    /** Empty where it cannot be read. */
    static Optional<KernelLog> follow(Path path, XidEar ear) {
        var followed = new KernelLog(path, ear);
        try {
            var _ = followed.open();
        } catch (IOException unreadable) {
            log.info(
                    "errors of cards are not read from the kernel's log: {}",
                    unreadable.toString());
            followed.close();
            return Optional.empty();
        }
        var _ =
                followed.looks.scheduleWithFixedDelay(
                        followed::look, 0, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        return Optional.of(followed);
    }

    /** A log daemon that begins a new file may leave none, or one that is not ours to read yet. */
    private void look() {
        try {
            boolean isAllRead = catchUp(file.isPresent() ? file.get() : open());
            hasFailed = false;
            if (isAllRead && isAnother()) {
                letGo();
            }
        } catch (IOException | RuntimeException failure) {
            if (!hasFailed) {
                log.warn("the kernel's log cannot be read for now: {}", failure.toString());
            }
            hasFailed = true;
            letGo();
        }
    }

    /** From where it was left, as far as that can be told; another file from its beginning. */
    private FollowedFile open() throws IOException {
        boolean isFromEnd = !isAnother();
        var opened = FollowedFile.open(path, isFromEnd);
        file = Optional.of(opened);
        identity = identity();
        position = isFromEnd ? Files.size(path) : 0;
        line.setLength(0);
        return opened;
    }

    /** Whether nothing is left to be read: a log that grows fast waits for the next look. */
    private boolean catchUp(FollowedFile from) throws IOException {
        for (int reads = 0; reads < MOST_READS; reads++) {
            var some = from.read();
            if (some.length == 0) {
                return true;
            }
            position += some.length;
            take(some);
        }
        return false;
    }

    private void take(byte[] some) {
        for (char letter : new String(some, StandardCharsets.ISO_8859_1).toCharArray()) {
            if (letter == '\n') {
                read(line.toString(), ear);
                line.setLength(0);
            } else if (line.length() < LONGEST_LINE) {
                line.append(letter);
            }
        }
    }

    static void read(String line, XidEar ear) {
        var match = LINE.matcher(line);
        if (match.matches()) {
            PciAddress.parse(match.group(1))
                    .ifPresent(place -> ear.heard(place, Integer.parseInt(match.group(2))));
        }
    }

    /** A log daemon begins a new file now and then. */
    private boolean isAnother() throws IOException {
        if (identity.isEmpty() || !Files.exists(path)) {
            return false;
        }
        return !identity.equals(identity()) || Files.size(path) < position;
    }

    /** Empty for a device, which is always the same. */
    private Optional<Object> identity() throws IOException {
        var about = Files.readAttributes(path, BasicFileAttributes.class);
        return about.isOther()
                ? Optional.empty()
                : Optional.of(Objects.requireNonNullElse(about.fileKey(), path));
    }

    @Override
    public void close() {
        if (!looks.isShutdown()) {
            looks.execute(this::letGo);
            looks.shutdown();
        }
    }

    private void letGo() {
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
