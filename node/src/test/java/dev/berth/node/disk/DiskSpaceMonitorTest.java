package dev.berth.node.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class DiskSpaceMonitorTest {
    private static final long MIB = 1024 * 1024;

    @TempDir Path directory;
    private final List<DiskSpaceMonitor.SpaceChange> changes = new ArrayList<>();
    private DiskSpace space = new DiskSpace(0, 0);

    @Test
    void reportsOnlyChanges() throws IOException {
        var watch = new DiskSpaceMonitor(() -> space, changes::add);
        for (var freeMib : new long[] {1000, 300, 256, 255, 100, 300, 319, 320, 1000, 10}) {
            space = new DiskSpace(freeMib * MIB, 100_000 * MIB);
            watch.check();
        }

        assertThat(changes)
                .containsExactly(
                        new DiskSpaceMonitor.SpaceChange(true, 255 * MIB),
                        new DiskSpaceMonitor.SpaceChange(false, 320 * MIB),
                        new DiskSpaceMonitor.SpaceChange(true, 10 * MIB));
    }

    @Test
    void theThresholdIsFivePercentOfASmallFileSystem() throws IOException {
        var watch = new DiskSpaceMonitor(() -> space, changes::add);
        space = new DiskSpace(5 * MIB, 100 * MIB);
        assertThat(watch.check()).isFalse();
        space = new DiskSpace(5 * MIB - 1, 100 * MIB);
        assertThat(watch.check()).isTrue();
    }

    @Test
    void readsTheFileSystemOfAPath() throws IOException {
        var here = DiskSpace.of(directory);

        assertThat(here.totalBytes()).isPositive();
        assertThat(here.freeBytes()).isBetween(0L, here.totalBytes());
        assertThatThrownBy(() -> DiskSpace.of(Path.of("/nowhere"))).isInstanceOf(IOException.class);
    }
}
