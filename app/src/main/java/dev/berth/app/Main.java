package dev.berth.app;

import dev.berth.app.bench.Bench;
import dev.berth.cli.Cli;
import dev.berth.cli.call.Surroundings;

import java.util.List;

/** The program {@code berth}. */
public final class Main {

    private Main() {}

    public static void main(String[] words) {
        var cli = new Cli(List.of(new Serve(), new Start(), new Stop(), new Bench()));
        int status = cli.run(words, Surroundings.ofProcess());
        System.exit(status);
    }
}
