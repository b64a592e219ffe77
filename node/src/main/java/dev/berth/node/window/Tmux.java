package dev.berth.node.window;

import dev.berth.node.process.Marker;
import dev.berth.node.process.ProgramRun;
import dev.berth.node.process.SearchPath;
import dev.berth.node.process.UserSwitch;
import dev.berth.port.read.Accounts.Account;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs the tmux program against a tmux server of Berth's own, so that its sessions neither appear
 * among those of the user nor end with them.
 *
 * @param account runs it and has the server; empty for the user of this process
 */
record Tmux(Path program, Optional<Account> account) {

    private static final ProgramRun.Limits LIMITS =
            new ProgramRun.Limits(Duration.ofSeconds(5), 1000);

    /** The name of the socket; users see it in {@code tmux -L berth attach}. */
    static final String SERVER = "berth";

    sealed interface Answer {
        record Done() implements Answer {}

        record Refused(String why) implements Answer {}
    }

    static Optional<Tmux> find(Optional<Path> named, SearchPath path) {
        return named.or(() -> path.orDefault().find("tmux"))
                .map(found -> new Tmux(found, Optional.empty()));
    }

    Tmux as(Optional<Account> other) {
        return new Tmux(program, other);
    }

    Answer run(List<String> arguments) {
        return run(List.of("-L", SERVER), arguments);
    }

    /** For windows of earlier versions, which opened them in the user's own server. */
    Answer runInDefaultServer(List<String> arguments) {
        return run(List.of(), arguments);
    }

    private Answer run(List<String> server, List<String> arguments) {
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(server);
        command.addAll(arguments);
        var builder = builder(command).redirectErrorStream(true);
        try {
            return switch (ProgramRun.await(builder.start(), LIMITS)) {
                case ProgramRun.Result.TimedOut _ ->
                        new Answer.Refused("no answer within " + LIMITS.time().toSeconds() + " s");
                case ProgramRun.Result.Ended(int status, _, _, _) when status == 0 ->
                        new Answer.Done();
                case ProgramRun.Result.Ended(_, var output, _, _) ->
                        new Answer.Refused(output.strip());
            };
        } catch (IOException failure) {
            return new Answer.Refused(program + " cannot be run: " + failure.getMessage());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Answer.Refused("interrupted");
        }
    }

    /**
     * If tmux starts its server now, the server keeps this environment for every window of this
     * user.
     */
    private ProcessBuilder builder(List<String> command) {
        if (account.isPresent()) {
            return UserSwitch.builder(account.get(), command);
        }
        var builder = ProgramRun.builder(command);
        builder.environment().keySet().removeAll(List.of("TMUX", "TMUX_PANE", Marker.VARIABLE));
        return builder;
    }
}
