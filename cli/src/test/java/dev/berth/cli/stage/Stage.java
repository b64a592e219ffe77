package dev.berth.cli.stage;

import dev.berth.cli.Cli;
import dev.berth.cli.call.Command;
import dev.berth.cli.call.Surroundings;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A home with a stub of a server in it, and calls of {@code berth} that mean it. */
public final class Stage implements Closeable {

    /** How a call ended and what it printed. */
    public record Result(int status, String out, String err) {}

    private final Path root;
    private final StubServer server;
    private final ManualTime time = new ManualTime();
    private final Map<String, String> env = new HashMap<>();
    private String input = "";
    private boolean terminal;

    public Stage(Path root) {
        try {
            this.root = root;
            Path home = Files.createDirectories(root.resolve("home"));
            Files.createDirectories(cwd());
            server = new StubServer(home.resolve("berth.sock"));
            env.put("BERTH_HOME", home.toString());
            env.put("HOME", root.toString());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    public StubServer server() {
        return server;
    }

    public ManualTime time() {
        return time;
    }

    public Map<String, String> env() {
        return env;
    }

    public Path home() {
        return root.resolve("home");
    }

    public Path cwd() {
        return root.resolve("here");
    }

    public void input(String text) {
        input = text;
    }

    public void terminal(boolean is) {
        terminal = is;
    }

    public Path file(String name, String text) {
        try {
            return Files.writeString(cwd().resolve(name), text);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    public Result run(String... words) {
        return run(List.of(), words);
    }

    public Result run(List<Command> more, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = new Cli(more).run(words, around(stream(out), stream(err)));
        return new Result(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    public Surroundings around(PrintStream out, PrintStream err) {
        InputStream in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        return new Surroundings(in, out, err, Map.copyOf(env), cwd(), terminal, time);
    }

    private static PrintStream stream(ByteArrayOutputStream to) {
        // Buffered, as those of the process are: what is not flushed is not seen.
        return new PrintStream(new BufferedOutputStream(to), false, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        server.close();
    }
}
