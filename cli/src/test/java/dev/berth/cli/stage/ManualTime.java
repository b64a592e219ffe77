package dev.berth.cli.stage;

import dev.berth.cli.call.Time;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Stands still until somebody pauses. */
public final class ManualTime implements Time {

    private Instant now = Instant.parse("2025-11-15T06:00:00Z");
    private ZoneId zone = ZoneOffset.UTC;
    private Duration paused = Duration.ZERO;
    private Runnable onPause = () -> {};

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public void pause(Duration length) throws InterruptedException {
        now = now.plus(length);
        paused = paused.plus(length);
        onPause.run();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    @Override
    public ZoneId zone() {
        return zone;
    }

    public void zone(ZoneId other) {
        zone = other;
    }

    /** Done at the end of each pause. */
    public void onPause(Runnable action) {
        onPause = action;
    }

    /** All pauses together. */
    public Duration paused() {
        return paused;
    }
}
