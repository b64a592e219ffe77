package dev.berth.node.window;

import dev.berth.node.process.Marker;
import dev.berth.node.process.SearchPath;
import dev.berth.node.process.UserSwitch;
import dev.berth.port.read.Accounts.Account;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Runs the tmux program against a tmux server of Berth's own, so that its sessions neither appear
 * among those of the user nor end with them.
 *
 * @param account runs it and has the server; empty for the user of this process
 */
record Tmux(Path program, Optional<Account> account) {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The name of the socket; users see it in {@code tmux -L berth attach}. */
    static final String SERVER = "berth";

    private static final int MAX_ANSWER_CHARS = 1000;

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
        var command = new ArrayList<String>();
        account.ifPresent(owner -> command.addAll(UserSwitch.to(owner)));
        command.add(program.toString());
        command.addAll(server);
        command.addAll(arguments);
        var builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        // If tmux starts its server now, the server keeps this environment for every window of this
        // user.
        builder.environment().keySet().removeAll(List.of("TMUX", "TMUX_PANE", Marker.VARIABLE));
        if (account.isPresent()) {
            builder.directory(Path.of("/").toFile());
            builder.environment().clear();
            builder.environment().putAll(environment(account.get()));
        }
        try {
            return answer(builder.start());
        } catch (IOException failure) {
            return new Answer.Refused(program + " cannot be run: " + failure.getMessage());
        }
    }

    private static Map<String, String> environment(Account owner) {
        return Map.of(
                "PATH", "/usr/local/bin:/usr/bin:/bin",
                "LANG", "C.UTF-8",
                "HOME", owner.home().toString(),
                "USER", owner.name(),
                "LOGNAME", owner.name(),
                "SHELL", owner.shell().toString());
    }

    private static Answer answer(Process process) throws IOException {
        try {
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return new Answer.Refused("no answer within " + TIMEOUT.toSeconds() + " s");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Answer.Refused("interrupted");
        }
        if (process.exitValue() == 0) {
            return new Answer.Done();
        }
        // Not beyond what has arrived: a process that the user's tmux left may keep the pipe open.
        var stream = process.getInputStream();
        var output = stream.readNBytes(Math.min(MAX_ANSWER_CHARS, stream.available()));
        return new Answer.Refused(new String(output, StandardCharsets.UTF_8).strip());
    }
}
