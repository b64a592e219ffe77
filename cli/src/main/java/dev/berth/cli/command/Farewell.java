package dev.berth.cli.command;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.ShellWords;
import dev.berth.wire.RunState;

import java.util.List;

/** Says to whoever ends this command early that the run does not end with it. */
final class Farewell implements AutoCloseable {

    private final Thread hook;

    private Farewell(Thread hook) {
        this.hook = hook;
    }

    /**
     * @param isHosted whether the server was started for the run
     */
    static Farewell of(RunState run, Options given, Surroundings around, boolean isHosted) {
        Thread hook = new Thread(() -> say(run, given, around, isHosted), "farewell");
        // The JVM runs hooks on SIGINT, SIGTERM and SIGHUP, and ends when they return.
        Runtime.getRuntime().addShutdownHook(hook);
        return new Farewell(hook);
    }

    static void say(RunState run, Options given, Surroundings around, boolean isHosted) {
        around.note(
                "run "
                        + run.pid()
                        + " goes on in its server"
                        + (isHosted ? ", which stays up" : "")
                        + "; `berth runs"
                        + where(given)
                        + "` shows it, `"
                        + stop(run.pid(), given)
                        + "` ends it"
                        + (isHosted ? ", `" + stopServer(given) + "` the server" : ""));
    }

    /** What ends a run, typed where this was. */
    static String stop(long pid, Options given) {
        return "berth runs stop " + pid + where(given);
    }

    /** What ends the server, typed where this was. */
    static String stopServer(Options given) {
        return "berth stop" + where(given);
    }

    private static String where(Options given) {
        String home = given.value(Option.HOME);
        return home == null ? "" : " --home " + Clean.line(ShellWords.join(List.of(home)));
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // It is being said just now.
        }
    }
}
