package dev.berth.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.task.Ending;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.ShimChoice;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** Tasks fill the disk of the node, or use a file system that never answers. */
@Isolated("the node gets all orphans of this process")
@ParameterizedClass
@EnumSource(names = {"NATIVE", "BASH"})
class OwnerDiskAttackTest {

    /** Mounts a file system for all users, and answers nothing until its standard input ends. */
    private static final String DEAD_MOUNT =
            """
            import ctypes, os, sys
            fd = os.open('/dev/fuse', os.O_RDWR)
            libc = ctypes.CDLL(None, use_errno=True)
            options = f'fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other'.encode()
            sys.exit(1) if libc.mount(b'dead', sys.argv[1].encode(), b'fuse', 0, options) else None
            print('mounted', flush=True)
            sys.stdin.read()
            """;

    @Parameter ShimChoice choice;
    @TempDir private Path root;
    private final List<Path> mounts = new ArrayList<>();
    private ManyUsersNode node;

    @BeforeEach
    void requireRoot() throws IOException {
        assumeTrue(Proc.userIdOfThisProcess() == 0, "only root mounts");
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x--x"));
    }

    @AfterEach
    void close() throws Exception {
        if (node != null) {
            node.close();
        }
        for (var mount : mounts) {
            new ProcessBuilder("umount", "-l", mount.toString()).start().waitFor();
        }
    }

    /** A file system that has no more space than this, as a quota gives it. */
    private Path smallDisk(String size) throws Exception {
        var disk = Files.createDirectory(root.resolve("small"));
        var mount =
                new ProcessBuilder(
                                "mount",
                                "-t",
                                "tmpfs",
                                "-o",
                                "mode=0711,size=" + size,
                                "small",
                                disk.toString())
                        .start();
        assumeTrue(mount.waitFor() == 0, "needs mounts of its own");
        mounts.add(disk);
        return disk;
    }

    /** Attack 5. */
    @Test
    void aFullDiskLosesNoExitCodeAndBlamesNoOtherTask() throws Exception {
        node = ManyUsersNode.start(smallDisk("3m"), 0, choice);
        var filler =
                node.launch(
                        node.alice,
                        """
                        trap - EXIT # which would wait for itself
                        (head -c 20000000 /dev/zero) 2>/dev/null
                        (head -c 20000000 /dev/zero >&47) 2>/dev/null &
                        (head -c 20000000 /dev/zero >>"$HOME/file") 2>/dev/null
                        (head -c 20000000 /dev/zero >>"$LOG_FILE") 2>/dev/null
                        exit 7
                        """);

        assertThat(node.end(filler).ending()).isEqualTo(new Ending.Exited(7));
        var other = node.launch(node.bob, "true");

        // The machine cannot start it now; the task is not to blame, and waits.
        assertThat(node.end(other).ending()).isInstanceOf(Ending.NotLaunched.class);
        assertThat(Files.deleteIfExists(node.alice.home().resolve("file"))).isTrue();
        var full = node.directory(filler).log();
        try (var log = Files.newByteChannel(full, StandardOpenOption.WRITE)) {
            log.truncate(0);
        }
        var next = node.launch(node.bob, "true");
        assertThat(node.end(next).ending()).isEqualTo(new Ending.Exited(0));
    }

    /** Attack 9. */
    @Test
    void aDirectoryThatNeverAnswersHoldsOnlyItsOwnTask() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "needs /dev/fuse");
        node = ManyUsersNode.start(Files.createDirectory(root.resolve("node")), 1, choice);
        var carol = node.add("carol", node.alice.uid() + 5);
        var mount =
                new ProcessBuilder("python3", "-c", DEAD_MOUNT, carol.home().toString()).start();
        var output = new InputStreamReader(mount.getInputStream(), StandardCharsets.UTF_8);
        assumeTrue("mounted".equals(new BufferedReader(output).readLine()), "needs FUSE mounts");
        mounts.add(carol.home());
        try {
            var hanging = node.launch(carol, "true");
            for (int i = 0; i < 3; i++) {
                assertThat(node.run(node.bob, "echo runs")).containsExactly("runs");
            }
            assertThat(node.facts)
                    .noneMatch(fact -> fact.toString().contains("Ended[attempt=" + hanging));

            node.node().stop(hanging);

            assertThat(node.end(hanging).ending()).isNotEqualTo(new Ending.Exited(0));
        } finally {
            mount.destroy();
            mount.waitFor();
        }
    }
}
