package dev.berth.cli.call;

import dev.berth.cli.text.TimestampText;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.TimeZone;

/** The system clock and sleeping. An interface, so that tests do not have to wait. */
public interface CliClock {

    Instant now();

    void sleep(Duration length) throws InterruptedException;

    ZoneId zone();

    /** The difference of local time to UTC at a time. */
    default ZoneOffset offsetAt(long epochSecond) {
        return zone().getRules().getOffset(Instant.ofEpochSecond(epochSecond));
    }

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

                @Override
                public ZoneOffset offsetAt(long epochSecond) {
                    return TimestampText.offset(TimeZone.getDefault(), epochSecond);
                }
            };
}
