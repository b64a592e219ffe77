package dev.berth.engine.offenders;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/** Each uses threads outside the engine's loop. */
public final class UsesThreads {
    private UsesThreads() {}

    record HasAThread(Thread thread) {}

    record HasAFuture(CompletableFuture<String> future) {}

    record HasALock(Lock lock) {}
}
