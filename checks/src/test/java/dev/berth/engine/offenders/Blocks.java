package dev.berth.engine.offenders;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Each blocks the engine's thread or starts another one. */
public final class Blocks {
    private Blocks() {}

    record JoinsAFuture(CompletableFuture<String> future) {
        String join() {
            return future.join();
        }
    }

    record GetsAFuture(Future<String> future) {
        String get() throws InterruptedException, ExecutionException {
            return future.get();
        }
    }

    record AwaitsALatch(CountDownLatch latch) {
        void await() throws InterruptedException {
            latch.await();
        }
    }

    record AcquiresAPermit(Semaphore permits) {
        void acquire() throws InterruptedException {
            permits.acquire();
        }
    }

    record Locks(ReentrantLock lock) {
        void run() {
            lock.lock();
        }
    }

    record Parks() {
        void park() {
            LockSupport.park();
        }
    }

    record SleepsOnTheThread() {
        void sleep() throws InterruptedException {
            Thread.sleep(Duration.ofMillis(1));
        }
    }

    record StartsAThread() {
        Thread start() {
            return Thread.startVirtualThread(() -> {});
        }
    }

    record StartsAPool() {
        void start() {
            Executors.newCachedThreadPool().close();
        }
    }

    record RunsElsewhere() {
        CompletableFuture<Void> start() {
            return CompletableFuture.runAsync(() -> {});
        }
    }
}
