package dev.berth.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.files.TimeLimitedCalls.NoAnswerException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

class UserPathsTest {

    @TempDir private Path directory;

    private static String place(MountTable mounts, String path) {
        return new PathPlaces(mounts.mounts()).placeOf(Path.of(path)).name();
    }

    private MountTable mounts() throws Exception {
        return new MountTable(
                Files.writeString(
                        directory.resolve("mountinfo"),
                        """
                        22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/root rw
                        30 22 0:40 / /home rw - xfs /dev/sdb rw
                        41 22 0:55 / /lab\\040data rw,relatime shared:9 - nfs4 server:/lab rw,hard
                        42 41 0:56 / /lab\\040data/fast rw - fuse.sshfs fast: rw
                        43 22 0:57 / /auto rw - autofs systemd-1 rw,fd=31
                        44 43 0:58 / /auto rw - nfs4 server:/auto rw,hard
                        45 22 0:59 / /trigger rw - autofs systemd-1 rw,fd=32
                        46 22 0:60 / /cloud rw - fuse some-program rw
                        broken line
                        """));
    }

    @Test
    void pathsOfOneNetworkFileSystemArePlacedTogether() throws Exception {
        var mounts = mounts();
        assertThat(place(mounts, "/lab data/alice/x")).isEqualTo("/lab data");
        assertThat(place(mounts, "/lab data")).isEqualTo("/lab data");
        assertThat(place(mounts, "/lab data/fast/x")).isEqualTo("/lab data/fast");
    }

    @Test
    void automountedFileSystemsAreNetworkFileSystems() throws Exception {
        var mounts = mounts();
        assertThat(place(mounts, "/auto/alice")).isEqualTo("/auto");
        assertThat(place(mounts, "/trigger/alice")).isEqualTo("/trigger");
    }

    @Test
    void fileSystemsInUserSpaceArePlacedTogether() throws Exception {
        assertThat(place(mounts(), "/cloud/alice")).isEqualTo("/cloud");
    }

    @Test
    void localPathsCountForThemselves() throws Exception {
        var mounts = mounts();
        assertThat(place(mounts, "/home/alice/../bob")).isEqualTo("/home/bob");
        assertThat(place(mounts, "/lab database")).isEqualTo("/lab database");
        var unreadable = new MountTable(directory.resolve("missing"));
        assertThat(place(unreadable, "/lab data/x")).isEqualTo("/lab data/x");
    }

    /** Together they take longer than a single answer may. */
    @Test
    void manyCallsOfAPlaceThatAnswersWaitForEachOther() throws Exception {
        var never = new CountDownLatch(1);
        try (var threads = Executors.newCachedThreadPool();
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var paths = UserPaths.on(threads, Duration.ofSeconds(2));
            Callable<Boolean> call =
                    () ->
                            paths.access(
                                    directory,
                                    // Slow, but not too slow.
                                    () -> never.await(100, TimeUnit.MILLISECONDS));
            for (var done : callers.invokeAll(Collections.nCopies(100, call))) {
                assertThat(done.get()).isFalse();
            }
        }
    }

    @Test
    void namesThePathThatDoesNotAnswer() throws Exception {
        var answer = new CountDownLatch(1);
        try (var threads = Executors.newCachedThreadPool()) {
            var limits =
                    new TimeLimitedCalls.Limits(Duration.ofMillis(50), Duration.ofMillis(50), 1, 2);
            var paths = new UserPaths(new TimeLimitedCalls(threads, limits), mounts());
            var path = Path.of("/lab data/alice/train");
            assertThatThrownBy(
                            () ->
                                    paths.access(
                                            path,
                                            () -> {
                                                answer.await();
                                                return 1;
                                            }))
                    .isInstanceOf(NoAnswerException.class)
                    .hasMessageContaining(path.toString());
            assertThatThrownBy(() -> paths.access(Path.of("/lab data/bob"), () -> 1))
                    .as("the same file system")
                    .isInstanceOf(NoAnswerException.class)
                    .hasMessageContaining("/lab data/bob");
            assertThat(paths.access(Path.of("/home/bob"), () -> 1)).isEqualTo(1);
            answer.countDown();
        }
    }

    @Test
    void linksIntoADeadFileSystemTakeNoMoreThreadsThanItsOwnPaths() throws Exception {
        var dead = directory.resolve("dead");
        var table =
                Files.writeString(
                        directory.resolve("mountinfo"),
                        "22 1 259:1 / / rw - ext4 /dev/root rw\n41 22 0:55 / "
                                + dead
                                + " rw - nfs4 server:/lab rw,hard\n");
        // A chain: one relative link, and one that goes up and down again.
        Files.createSymbolicLink(directory.resolve("lab"), Path.of("dead"));
        var answer = new CountDownLatch(1);
        var begun = new AtomicInteger();
        try (var threads = Executors.newCachedThreadPool()) {
            var limits =
                    new TimeLimitedCalls.Limits(Duration.ofMillis(50), Duration.ofMillis(50), 2, 4);
            var paths = new UserPaths(new TimeLimitedCalls(threads, limits), new MountTable(table));
            for (int user = 0; user < 6; user++) {
                var link = directory.resolve("user-" + user);
                Files.createSymbolicLink(link, directory.resolve("x/../lab/data-" + user));
                assertThatThrownBy(
                                () ->
                                        paths.access(
                                                link.resolve("train"),
                                                () -> {
                                                    begun.incrementAndGet();
                                                    answer.await();
                                                    return 1;
                                                }))
                        .isInstanceOf(NoAnswerException.class)
                        .hasMessageContaining(link.resolve("train").toString());
            }
            assertThat(begun).hasValue(2);
            assertThat(paths.access(directory.resolve("local"), () -> 1)).isEqualTo(1);
            answer.countDown();
        }
    }

    @Test
    void pathsOfOneDeadDiskLeaveThreadsForOthers() throws Exception {
        var answer = new CountDownLatch(1);
        try (var threads = Executors.newCachedThreadPool()) {
            var limit = Duration.ofMillis(50);
            var limits = new TimeLimitedCalls.Limits(limit, limit, 2, 3, 4);
            var paths = new UserPaths(new TimeLimitedCalls(threads, limits), mounts());
            for (int user = 0; user < 6; user++) {
                var path = Path.of("/home/user-" + user);
                assertThatThrownBy(
                                () ->
                                        paths.access(
                                                path,
                                                () -> {
                                                    answer.await();
                                                    return 1;
                                                }))
                        .isInstanceOf(NoAnswerException.class);
            }
            assertThat(paths.access(Path.of("/srv/other"), () -> 1)).isEqualTo(1);
            answer.countDown();
        }
    }
}
