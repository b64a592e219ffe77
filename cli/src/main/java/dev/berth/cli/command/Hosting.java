package dev.berth.cli.command;

import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What a run needs of this machine besides a server: to have one, and to go on without us. */
public interface Hosting {

    /** Starts a server for the home that is meant; it serves when this returns. */
    void start(Options given, Surroundings around) throws IOException, InterruptedException;

    /** Ends the server of the home that is meant, if it is up. */
    void stop(Options given, Surroundings around) throws IOException, InterruptedException;

    /**
     * Starts this very program with other words, in a session of its own.
     *
     * @param name of the file among the home's logs that gets its output
     */
    Background launch(List<String> words, String name, Options given, Surroundings around)
            throws IOException;

    /** A program that goes on when we end. */
    interface Background {
        Path output();

        boolean isAlive() throws IOException;
    }
}
