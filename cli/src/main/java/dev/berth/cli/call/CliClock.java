package dev.berth.cli.call;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/** The system clock and sleeping. An interface, so that tests do not have to wait. */
public interface CliClock {

    Instant now();

    void sleep(Duration length) throws InterruptedException;

    ZoneId zone();

    CliClock SYSTEM =
            new CliClock() {
                @Override
                public Instant now() {
                    return Instant.now();
                }

                @Override
                public void sleep(Duration length) throws InterruptedException {
                    Thread.sleep(length);
                }

                @Override
                public ZoneId zone() {
                    return ZoneId.systemDefault();
                }
            };
}
