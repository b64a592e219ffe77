package dev.berth.server.offenders;

import java.util.concurrent.TimeUnit;

/** Each sleeps. */
public final class Sleeps {
    private Sleeps() {}

    record OnItsThread() {
        void pause() throws InterruptedException {
            Thread.sleep(10);
        }
    }

    record ByTheUnit() {
        void pause() throws InterruptedException {
            TimeUnit.SECONDS.sleep(1);
        }
    }
}
