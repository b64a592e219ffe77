package dev.berth.node.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.linux.InodeCount;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

class DiskSpaceMonitorTest {
    private static final long MIB = 1024 * 1024;

    @TempDir Path directory;
    private static final InodeCount NOT_COUNTED = new InodeCount(0, 0);

    private final List<DiskSpaceMonitor.SpaceChange> changes = new ArrayList<>();
    private DiskSpace space = new DiskSpace(0, 0, NOT_COUNTED);

    @Test
    void reportsOnlyChanges() throws IOException {
        var watch = new DiskSpaceMonitor(() -> space, changes::add);
        for (var freeMib : new long[] {1000, 300, 256, 255, 100, 300, 319, 320, 1000, 10}) {
            space = new DiskSpace(freeMib * MIB, 100_000 * MIB, NOT_COUNTED);
            watch.check();
        }

        assertThat(changes)
                .containsExactly(
                        new DiskSpaceMonitor.SpaceChange(true, true, 255 * MIB, NOT_COUNTED),
                        new DiskSpaceMonitor.SpaceChange(false, false, 320 * MIB, NOT_COUNTED),
                        new DiskSpaceMonitor.SpaceChange(true, true, 10 * MIB, NOT_COUNTED));
    }

    @Test
    void theThresholdIsFivePercentOfASmallFileSystem() throws IOException {
        var watch = new DiskSpaceMonitor(() -> space, changes::add);
        space = new DiskSpace(5 * MIB, 100 * MIB, NOT_COUNTED);
        assertThat(watch.check()).isFalse();
        space = new DiskSpace(5 * MIB - 1, 100 * MIB, NOT_COUNTED);
        assertThat(watch.check()).isTrue();
    }

    @Test
    void inodesAreWatchedLikeBytes() throws IOException {
        var watch = new DiskSpaceMonitor(() -> space, changes::add);
        for (long free : new long[] {51, 50, 49, 60, 62, 500}) {
            space = new DiskSpace(90 * MIB, 100 * MIB, new InodeCount(free, 1000));
            watch.check();
        }
        assertThat(changes)
                .extracting(change -> change.isLow() + " " + change.inodes().free())
                .containsExactly("true 49", "false 62");
        assertThat(changes.getFirst().areBytesLow()).isFalse();
    }

    @Test
    void readsThatFailAreLoggedOnce() {
        var logged = new ArrayList<String>();
        var handler = handler(logged);
        var logger = Logger.getLogger(DiskSpaceMonitor.class.getName());
        var isThere = new AtomicBoolean();
        var watch =
                new DiskSpaceMonitor(
                        () -> {
                            if (!isThere.get()) {
                                throw new NoSuchFileException("tasks");
                            }
                            return space;
                        },
                        changes::add);
        logger.addHandler(handler);
        try {
            watch.checkRepeatedly();
            watch.checkRepeatedly();
            isThere.set(true);
            watch.checkRepeatedly();
            watch.checkRepeatedly();
            isThere.set(false);
            watch.checkRepeatedly();
        } finally {
            logger.removeHandler(handler);
        }

        var failed = "disk space cannot be read: java.nio.file.NoSuchFileException: tasks";
        assertThat(logged).containsExactly(failed, "disk space can be read again", failed);
    }

    private static Handler handler(List<String> logged) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(entry.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    @Test
    void readsTheFileSystemOfAPath() throws IOException {
        var here = DiskSpace.of(directory);

        assertThat(here.totalBytes()).isPositive();
        assertThat(here.inodes().free()).isBetween(0L, here.inodes().total());
        assertThat(here.freeBytes()).isBetween(0L, here.totalBytes());
        assertThatThrownBy(() -> DiskSpace.of(Path.of("/nowhere"))).isInstanceOf(IOException.class);
    }
}
