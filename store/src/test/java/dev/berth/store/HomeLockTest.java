package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

class HomeLockTest {

    private static final long PID = ProcessHandle.current().pid();

    @TempDir private Path place;

    @Test
    void theRefusalNamesTheServerThatHoldsTheHome() throws Exception {
        try (var lock = HomeLock.take(place)) {
            lock.publishAddress("http://127.0.0.1:29214");

            assertThat(otherServer())
                    .contains(place.toString())
                    .contains("pid " + PID + " at http://127.0.0.1:29214")
                    .endsWith("exit 1");
        }
    }

    @Test
    void aSecondLockInTheSameProcessFailsAndKeepsTheFirst() throws Exception {
        try (var lock = HomeLock.take(place)) {
            var link =
                    Files.createSymbolicLink(
                            place.resolveSibling(place.getFileName() + "-link"), place);
            for (var home : List.of(place, link)) {
                assertThatExceptionOfType(HomeRefused.class)
                        .isThrownBy(() -> HomeLock.take(home))
                        .withMessageContaining("pid " + PID);
            }
            Files.delete(link);

            // Opening and closing the file once more would have released the lock.
            assertThat(otherServer()).endsWith("exit 1");
            assertThat(lock).isNotNull();
        }
    }

    @Test
    void theLockIsReleasedWhenTheServerExits() throws Exception {
        HomeLock.take(place).close();
        assertThat(HomeLock.holder(place)).isEmpty();

        assertThat(otherServer()).endsWith("taken\nexit 0");
        // The other process ended without close(): its file is stale, and the lock is gone.
        assertThat(HomeLock.holder(place)).isPresent();

        try (var lock = HomeLock.take(place)) {
            lock.publishAddress("b");
            assertThat(HomeLock.holder(place)).contains(new HomeLock.LockHolder(PID, "b"));
        }
    }

    @Test
    void twoHomesAreIndependent() throws Exception {
        try (var one = HomeLock.take(place.resolve("one"));
                var two = HomeLock.take(place.resolve("two"))) {
            assertThat(one).isNotSameAs(two);
        }
    }

    @Test
    void closingTwiceHasNoFurtherEffect() throws Exception {
        var first = HomeLock.take(place);
        first.close();
        try (var second = HomeLock.take(place)) {
            first.close();

            assertThat(HomeLock.holder(place)).isPresent();
            assertThat(otherServer()).endsWith("exit 1");
            assertThat(second).isNotNull();
        }
    }

    @Test
    void aNewHomeIsAccessibleToItsOwnerOnly() throws Exception {
        var home = place.resolve("new/home");
        try (var lock = HomeLock.take(home)) {
            lock.publishAddress("a");

            assertThat(mode(home)).isEqualTo("rwx------");
            assertThat(mode(home.resolve("lock"))).isEqualTo("rw-------");
            assertThat(mode(home.resolve("lock.holder"))).isEqualTo("rw-------");
        }
    }

    @Test
    void aHomeThatCannotBeCreatedIsRefused() throws Exception {
        var notADirectory = Files.createFile(place.resolve("file"));

        assertThatExceptionOfType(HomeRefused.class)
                .isThrownBy(() -> HomeLock.take(notADirectory.resolve("home")))
                .withMessageContaining(notADirectory.toString());
    }

    private String otherServer() throws Exception {
        return ChildJvm.run(ChildJvm.command(OtherServer.class, List.of(), place));
    }

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /** Takes the lock and exits without releasing it. */
    static final class OtherServer {
        public static void main(String[] arguments) throws Exception {
            try {
                HomeLock.take(Path.of(arguments[0]));
                System.out.println("taken");
            } catch (HomeRefused e) {
                System.out.println(e.getMessage());
                Runtime.getRuntime().halt(1);
            }
            Runtime.getRuntime().halt(0);
        }
    }
}
