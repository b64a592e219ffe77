package dev.berth.app.simulate;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.text.SafeText;
import dev.berth.simulator.trace.InvalidInput;

import java.io.IOException;
import java.util.List;

/** {@code berth simulate}. Only {@code --history} needs a server. */
public final class SimulateCommand implements CliCommand {

    static final CommandOption TRACE =
            CommandOption.withValue("--trace", "FILE", "the jobs: CSV, plain or gzip");
    static final CommandOption HISTORY =
            CommandOption.flag(
                    "--history", "the ended tasks of the running server, instead of a trace");
    static final CommandOption SINCE =
            CommandOption.withValue(
                    "--since", "30d", "with --history: only tasks of this time up to now");
    static final CommandOption FILTER =
            CommandOption.withValue(
                    "--filter", "COLUMN=VALUE", "only these rows of the trace; may be repeated");
    static final CommandOption CLUSTER =
            CommandOption.withValue(
                    "--cluster", "NODESxGPUS", "the nodes: 4x8, or 231x8+321x2 of two kinds");
    static final CommandOption NODES =
            CommandOption.withValue(
                    "--nodes", "FILE", "the nodes with cores, memory and GPU model, instead: CSV");
    static final CommandOption PARTITION =
            CommandOption.withValue(
                    "--partition", "P", "shared (default), or vc: each virtual cluster by itself");
    static final CommandOption VC_NODES =
            CommandOption.withValue(
                    "--vc-nodes", "A=64x8,B=8x8", "the nodes of each virtual cluster");
    static final CommandOption PLACEMENT =
            CommandOption.withValue(
                    "--placement", "P", "count (default), consolidate or fractional");
    static final CommandOption POLICY =
            CommandOption.withValue(
                    "--policy",
                    "P",
                    "fifo, sjf, easy, fifo-skip, sjf-skip, berth or berth:ORDER:BACKFILL;"
                            + " several, with commas, are compared (fifo,sjf,easy)");
    static final CommandOption STARTS =
            CommandOption.flag("--starts", "with --json: also the start of each job");
    static final CommandOption SVG =
            CommandOption.withValue("--svg", "FILE", "also draw waits and GPU use");
    static final CommandOption JSON = CommandOption.flag("--json", "print it as JSON");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "simulate",
                "",
                "Replay a trace of jobs on virtual time and compare scheduling policies",
                List.of(
                        TRACE, HISTORY, SINCE, FILTER, CLUSTER, NODES, PARTITION, VC_NODES,
                        PLACEMENT, POLICY, STARTS, SVG, JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws IOException {
        options.expectNoArguments();
        try {
            SimulateCall.of(SimulateOptions.parse(options), options, context).run(context);
            return 0;
        } catch (InvalidInput invalid) {
            throw new CommandFailure(SafeText.line(invalid.getMessage()));
        }
    }
}
