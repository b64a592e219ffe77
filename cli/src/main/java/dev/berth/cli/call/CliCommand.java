package dev.berth.cli.call;

import java.io.IOException;

/** One subcommand of {@code berth}. */
public interface CliCommand {

    CommandSyntax syntax();

    /**
     * @return the exit status
     * @throws UsageError the arguments are invalid
     * @throws Refused the command failed
     */
    int run(ParsedOptions options, CallContext context) throws IOException, InterruptedException;
}
