package dev.berth.app;

import dev.berth.app.bench.Bench;
import dev.berth.app.doctor.Doctor;
import dev.berth.cli.Cli;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.command.Run;

import java.util.List;

/** The program {@code berth}. */
public final class Main {

    private Main() {}

    public static void main(String[] words) {
        var cli =
                new Cli(
                        List.of(
                                new Demo(),
                                new Serve(),
                                new Start(),
                                new Stop(),
                                new Run(new RunHost()),
                                new Attach(),
                                new Doctor(
                                        (home, around) ->
                                                Servers.at(home, around).map(Servers.Running::url)),
                                new Parse(),
                                new Bench()));
        int status = cli.run(words, Surroundings.ofProcess());
        System.exit(status);
    }
}
