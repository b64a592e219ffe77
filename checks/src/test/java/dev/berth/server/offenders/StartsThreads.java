package dev.berth.server.offenders;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Start threads outside the classes that own them. */
public final class StartsThreads {
    private StartsThreads() {}

    static final class Platform {
        void start(Runnable work) {
            new Thread(work).start();
        }
    }

    static final class Virtual {
        void start(Runnable work) {
            Thread.ofVirtual().start(work);
        }
    }

    static final class Pool {
        Executor create() {
            return Executors.newCachedThreadPool();
        }
    }
}
