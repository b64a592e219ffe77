package dev.berth.runs;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.node.linux.FileExchange;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Berth and an independent script write the same file as fast as they can. */
class ProcessFileRaceTest {

    private static final int LANES = 20;
    private static final Duration ROUND = Duration.ofSeconds(2);

    /** The minimum number of writes of each side, also on a slow machine. */
    private static final int ENOUGH = 20;

    @TempDir Path directory;

    @Test
    void noUpdateIsLostBetweenBerthAndAScript() throws Exception {
        race(1);
    }

    @Test
    @Tag("soak-uniid")
    void noUpdateIsLostInAMinuteBetweenBerthAndAScript() throws Exception {
        for (int round = 1; round <= 30; round++) {
            race(round);
        }
    }

    /** With a separate file, so that every addition of the script can be checked. */
    private void race(int round) throws Exception {
        var here = Files.createDirectory(directory.resolve("round" + round));
        var file = here.resolve("uni_id.json");
        Files.writeString(file, "{}");
        var processes = new ProcessFile(() -> file, FileExchange::exchange);
        var script = new ExternalScript(file, "script");
        var isOver = new AtomicBoolean();
        var theirs = new AtomicInteger();
        var reads = new AtomicInteger();
        var writer =
                beside(
                        isOver,
                        () -> {
                            var name = "theirs_" + theirs.get();
                            script.edit(tree -> tree.putObject(name).put("pid", 1));
                            theirs.incrementAndGet();
                        });
        var reader =
                beside(
                        isOver,
                        () -> {
                            ExternalScript.tree(file);
                            reads.incrementAndGet();
                        });

        long end = System.nanoTime() + ROUND.toNanos();
        int turn = 0;
        while (!writer.isDone()
                && !reader.isDone()
                && (System.nanoTime() - end < 0
                        || Math.min(turn, Math.min(theirs.get(), reads.get())) < ENOUGH)) {
            processes.update(records(++turn));
        }
        isOver.set(true);
        writer.get();
        reader.get();

        var last = records(turn);
        eventually(
                "all is there",
                () -> {
                    processes.update(last);
                    var tree = ExternalScript.tree(file);
                    return hasAll(tree, theirs.get());
                });
        var tree = ExternalScript.tree(file);
        for (int lane = 0; lane < LANES; lane++) {
            assertThat(tree.path("lane_" + lane).path("retry_count").asInt()).isEqualTo(turn);
        }
        assertThat(here.toFile().list())
                .containsExactlyInAnyOrder("uni_id.json", "uni_id.json.lock");
    }

    private static Consumer<ObjectNode> records(int turn) {
        return tree -> {
            for (int lane = 0; lane < LANES; lane++) {
                var record = tree.withObject("/lane_" + lane);
                record.put("pid", 1000 + lane).put("state", "running").put("retry_count", turn);
            }
        };
    }

    private static boolean hasAll(ObjectNode tree, int theirs) {
        for (int number = 0; number < theirs; number++) {
            if (!tree.has("theirs_" + number)) {
                return false;
            }
        }
        return true;
    }

    private interface Work {
        void once() throws IOException;
    }

    private static CompletableFuture<Void> beside(AtomicBoolean isOver, Work work) {
        return CompletableFuture.runAsync(
                () -> {
                    while (!isOver.get()) {
                        try {
                            work.once();
                        } catch (IOException failure) {
                            throw new AssertionError(failure);
                        }
                    }
                },
                Thread::startVirtualThread);
    }
}
