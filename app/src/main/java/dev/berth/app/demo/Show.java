package dev.berth.app.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;

/** A demo from its first task to the last trace of it. */
public final class Show {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Director director;
    private final Thread thread;

    private Show(Director director) {
        this.director = director;
        this.thread = Thread.ofPlatform().name("demo").daemon().unstarted(director::run);
    }

    /**
     * @param socket of the server that is shown
     * @param home everything of it
     */
    public static Show begin(Path socket, Path home) {
        var show = new Show(new Director(socket, home));
        show.thread.start();
        return show;
    }

    /** Ends the tasks while the server still answers, once no more can come. */
    public void end() {
        director.finish();
        try {
            thread.join(PATIENCE);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        director.endAll();
    }

    /** Once nothing runs there. */
    public static void remove(Path home) {
        try (var paths = Files.walk(home)) {
            for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException left) {
            System.err.println("berth: " + home + " could not be removed: " + left);
        }
    }
}
