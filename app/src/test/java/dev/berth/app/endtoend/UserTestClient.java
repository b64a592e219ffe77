package dev.berth.app.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Over the socket of a machine's server, by curl in a process of another user. */
record UserTestClient(String user, Path socket) implements TestClient {

    private static final String STATUS = "\nstatus ";

    @Override
    public TestReply send(TestRequest ask) {
        var command =
                new ArrayList<>(
                        List.of(
                                "/usr/bin/curl",
                                "-s",
                                "--unix-socket",
                                socket.toString(),
                                "-X",
                                ask.method(),
                                "-w",
                                STATUS + "%{http_code}"));
        ask.headers().forEach((name, value) -> command.addAll(List.of("-H", name + ": " + value)));
        if (!ask.body().isEmpty()) {
            command.addAll(List.of("--data-binary", "@-"));
        }
        command.add("http://localhost" + ask.path());
        var output = run(user, command, ask.body()).output();
        int end = output.lastIndexOf(STATUS);
        if (end < 0) {
            throw new AssertionError(ask.method() + " " + ask.path() + " as " + user + output);
        }
        int status = Integer.parseInt(output.substring(end + STATUS.length()).strip());
        return new TestReply(status, output.substring(0, end));
    }

    /** What a program wrote, and how it ended. */
    record Outcome(int status, String output) {}

    /** Runs a program as a user, with that user's groups and without capabilities. */
    static Outcome run(String user, List<String> program, String input) {
        var command =
                new ArrayList<>(
                        List.of(
                                "/usr/bin/setpriv",
                                "--reuid=" + user,
                                "--regid=" + user,
                                "--init-groups",
                                "--inh-caps=-all",
                                "--"));
        command.addAll(program);
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            try (var stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
            var output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(3, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError(program + " as " + user + " does not end");
            }
            return new Outcome(process.exitValue(), output);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    TestApi api() {
        return new TestApi(this);
    }
}
