package dev.berth.app.bench;

import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Fifo;
import dev.berth.node.linux.Spawner;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The baseline of a warm task on this machine without Berth: the same worker over two pipes, and
 * writes to the same disk.
 */
final class WarmBaseline {

    private static final int WARM_UP = 200;

    /** About as much as the commit of one task writes. */
    private static final int COMMIT_BYTES = 64 * 1024;

    private static final int FILE_COMMITS = 16;
    private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Path directory;

    WarmBaseline(Path directory) {
        this.directory = directory;
    }

    /** Sends an order to the worker and reads its answer, one after another. */
    Percentiles worker(String script, int count) throws IOException {
        var input = directory.resolve("baseline.in");
        var output = directory.resolve("baseline.out");
        Fifo.create(input);
        Fifo.create(output);
        var command = "exec <'" + input + "' >'" + output + "'\n" + script;
        long pid =
                Spawner.forThisHost()
                        .spawn(
                                new Spawner.SpawnRequest(
                                        List.of("/bin/bash", "-c", command),
                                        directory.resolve("baseline.log"),
                                        Optional.empty()))
                        .pid();
        try (var orders = new FileOutputStream(input.toFile());
                var answers = new FileInputStream(output.toFile())) {
            readLine(answers);
            var _ = exchange(orders, answers, WARM_UP);
            return exchange(orders, answers, count);
        } finally {
            while (ChildProcess.reap(pid).orElseThrow() instanceof ChildProcess.Status.Running) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    private static Percentiles exchange(FileOutputStream orders, FileInputStream answers, int count)
            throws IOException {
        var millis = new double[count];
        for (int i = 0; i < count; i++) {
            var order = "{\"type\":\"run\",\"task\":" + (10_000 + i) + ",\"params\":{}}\n";
            long begin = System.nanoTime();
            orders.write(order.getBytes(StandardCharsets.UTF_8));
            readLine(answers);
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return Percentiles.of(millis);
    }

    private static void readLine(FileInputStream answers) throws IOException {
        var buffer = new byte[1024];
        int length;
        do {
            length = answers.read(buffer);
            if (length < 0) {
                throw new IOException("the worker has ended");
            }
        } while (buffer[length - 1] != '\n');
    }

    /** Overwrites a part of a file and syncs it, as the database does with its log. */
    Percentiles sync(int count) throws IOException {
        var bytes = ByteBuffer.allocate(COMMIT_BYTES);
        var millis = new double[count];
        try (var file =
                FileChannel.open(
                        directory.resolve("baseline.data"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE)) {
            for (int i = -FILE_COMMITS; i < count; i++) {
                long begin = System.nanoTime();
                file.write(bytes.clear(), (long) Math.floorMod(i, FILE_COMMITS) * COMMIT_BYTES);
                file.force(true);
                if (i >= 0) {
                    millis[i] = (System.nanoTime() - begin) / 1e6;
                }
            }
        }
        return Percentiles.of(millis);
    }
}
