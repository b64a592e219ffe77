package dev.berth.cli.call;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/** The clock on the wall, and the way to let time pass; a port, so that tests need not wait. */
public interface Time {

    Instant now();

    void pause(Duration length) throws InterruptedException;

    ZoneId zone();

    Time SYSTEM =
            new Time() {
                @Override
                public Instant now() {
                    return Instant.now();
                }

                @Override
                public void pause(Duration length) throws InterruptedException {
                    Thread.sleep(length);
                }

                @Override
                public ZoneId zone() {
                    return ZoneId.systemDefault();
                }
            };
}
