package dev.berth.cli.call;

import java.io.IOException;

/** One verb of {@code berth}. */
public interface Command {

    Syntax syntax();

    /**
     * @return the exit status
     * @throws UsageError the words make no sense together
     * @throws Refused it did not happen
     */
    int run(Options given, Surroundings around) throws IOException, InterruptedException;
}
