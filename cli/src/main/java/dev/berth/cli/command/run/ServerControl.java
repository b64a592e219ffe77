package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.ParsedOptions;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Starts and stops a server on this machine, and starts processes in the background. The
 * implementation is in another module.
 */
public interface ServerControl {

    /** Starts a server for the selected home; it accepts requests when this method returns. */
    void start(ParsedOptions options, CallContext context) throws IOException, InterruptedException;

    /** Stops the server of the selected home, if it runs. */
    void stop(ParsedOptions options, CallContext context) throws IOException, InterruptedException;

    /**
     * Starts this program with other arguments, in a session of its own.
     *
     * @param name of the output file in the home's log directory
     */
    BackgroundProcess launch(
            List<String> arguments, String name, ParsedOptions options, CallContext context)
            throws IOException;

    /** A process that survives this one. */
    interface BackgroundProcess {
        Path output();

        boolean isAlive() throws IOException;
    }
}
