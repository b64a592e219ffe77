package dev.berth.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.files.TimeLimitedCalls.NoAnswerException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

class UserPathsTest {

    @TempDir private Path directory;

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
                        broken line
                        """));
    }

    @Test
    void pathsOfOneNetworkFileSystemArePlacedTogether() throws Exception {
        var mounts = mounts();
        assertThat(mounts.placeOf(Path.of("/lab data/alice/x"))).isEqualTo("/lab data");
        assertThat(mounts.placeOf(Path.of("/lab data"))).isEqualTo("/lab data");
        assertThat(mounts.placeOf(Path.of("/lab data/fast/x"))).isEqualTo("/lab data/fast");
    }

    @Test
    void automountedFileSystemsAreNetworkFileSystems() throws Exception {
        var mounts = mounts();
        assertThat(mounts.placeOf(Path.of("/auto/alice"))).isEqualTo("/auto");
        assertThat(mounts.placeOf(Path.of("/trigger/alice"))).isEqualTo("/trigger");
    }

    @Test
    void localPathsCountForThemselves() throws Exception {
        var mounts = mounts();
        assertThat(mounts.placeOf(Path.of("/home/alice/../bob"))).isEqualTo("/home/bob");
        assertThat(mounts.placeOf(Path.of("/lab database"))).isEqualTo("/lab database");
        var unreadable = new MountTable(directory.resolve("missing"));
        assertThat(unreadable.placeOf(Path.of("/lab data/x"))).isEqualTo("/lab data/x");
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
}
