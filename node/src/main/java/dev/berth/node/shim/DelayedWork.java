package dev.berth.node.shim;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Runs work a fixed time after it is requested; requests until then add nothing. */
final class DelayedWork {

    private final String threadName;
    private final Duration delay;
    private final Runnable work;
    private final AtomicBoolean isScheduled = new AtomicBoolean();

    DelayedWork(String threadName, Duration delay, Runnable work) {
        this.threadName = threadName;
        this.delay = delay;
        this.work = work;
    }

    void request() {
        if (isScheduled.compareAndSet(false, true)) {
            Thread.ofVirtual()
                    .name(threadName)
                    .start(
                            () -> {
                                LockSupport.parkNanos(delay.toNanos());
                                isScheduled.set(false);
                                work.run();
                            });
        }
    }
}
