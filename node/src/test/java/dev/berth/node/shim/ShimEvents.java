package dev.berth.node.shim;

import dev.berth.node.process.ExitWatcher;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Keeps what happens to a shim. */
final class ShimEvents implements ConnectedShim.Listener {
    private final BlockingQueue<Integer> codes = new LinkedBlockingQueue<>();
    private final BlockingQueue<ExitWatcher.ProcessEnd> ends = new LinkedBlockingQueue<>();

    @Override
    public void commandEnded(int code) {
        codes.add(code);
    }

    @Override
    public void shimEnded(ExitWatcher.ProcessEnd end) {
        ends.add(end);
    }

    /** The exit code that the shim sends. */
    int awaitCode() throws InterruptedException {
        return await(codes);
    }

    ExitWatcher.ProcessEnd awaitEnd() throws InterruptedException {
        return await(ends);
    }

    /** The exit codes that nobody has awaited. */
    List<Integer> codes() {
        return List.copyOf(codes);
    }

    private static <T> T await(BlockingQueue<T> events) throws InterruptedException {
        var event = events.poll(3, TimeUnit.MINUTES);
        if (event == null) {
            throw new AssertionError("nothing happened to the shim");
        }
        return event;
    }
}
