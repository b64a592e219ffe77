package dev.berth.app.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;

/** Runs a demo, from its first task to the removal of its home. */
public final class DemoRun {

    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(5);

    private final SampleSubmitter submitter;
    private final Thread thread;

    private DemoRun(SampleSubmitter submitter) {
        this.submitter = submitter;
        this.thread = Thread.ofPlatform().name("demo").daemon().unstarted(submitter::run);
    }

    /**
     * @param socket of the demo's server
     * @param home of the demo's server
     */
    public static DemoRun start(Path socket, Path home) {
        var demo = new DemoRun(new SampleSubmitter(socket, home));
        demo.thread.start();
        return demo;
    }

    /** Cancels the tasks while the server still answers, after the submitting thread has ended. */
    public void stop() {
        submitter.finish();
        try {
            thread.join(JOIN_TIMEOUT);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        submitter.cancelAll();
    }

    /** Call only after all tasks and the server have ended. */
    public static void removeHome(Path home) {
        try (var paths = Files.walk(home)) {
            for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException left) {
            System.err.println("berth: " + home + " could not be removed: " + left);
        }
    }
}
