package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

class GoFileTest {

    private static final int ROUNDS = 3000;

    @TempDir Path directory;

    /** What a reader can see, a killed server can leave. */
    @Test
    void aTombstoneIsNeverIncomplete() throws Exception {
        var round = new AtomicInteger();
        var reader =
                CompletableFuture.supplyAsync(
                        () -> {
                            int incomplete = 0;
                            while (round.get() < ROUNDS) {
                                incomplete += isIncomplete(round.get()) ? 1 : 0;
                            }
                            return incomplete;
                        });
        for (; round.get() < ROUNDS; round.incrementAndGet()) {
            assertThat(GoFile.writeTombstone(go(round.get()))).isTrue();
        }
        assertThat(reader.get()).isZero();
    }

    private boolean isIncomplete(int round) {
        try {
            return GoFile.read(go(round)) instanceof GoFile.Empty;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path go(int round) {
        return directory.resolve("go" + round);
    }

    @Test
    void whatAKilledServerLeftPreventsNoTombstone() throws Exception {
        var go = directory.resolve("go");
        Files.writeString(directory.resolve("go.tombstone"), "tomb");

        assertThat(GoFile.writeTombstone(go)).isTrue();
        assertThat(GoFile.read(go)).isEqualTo(new GoFile.Tombstone());
        assertThat(GoFile.writeTombstone(go)).as("it exists").isFalse();
        assertThat(directory).isDirectoryNotContaining("glob:**.tombstone");
    }
}
