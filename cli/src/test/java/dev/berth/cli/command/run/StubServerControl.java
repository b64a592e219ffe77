package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.fixture.CliFixture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts the fixture's stub server and simulates background processes. */
final class StubServerControl implements ServerControl {

    private final CliFixture fixture;
    private final List<String> calls = new ArrayList<>();
    private String said = "";
    private int looksAlive = Integer.MAX_VALUE;

    StubServerControl(CliFixture fixture) {
        this.fixture = fixture;
    }

    /** The recorded calls. */
    List<String> calls() {
        return calls;
    }

    /**
     * The output of the background process.
     *
     * @param looks how often the process is found alive
     */
    void prints(String text, int looks) {
        said = text;
        looksAlive = looks;
    }

    @Override
    public void start(ParsedOptions options, CallContext context) {
        calls.add("start");
        fixture.server().start();
    }

    @Override
    public void stop(ParsedOptions options, CallContext context) {
        calls.add("stop");
    }

    @Override
    public BackgroundProcess launch(
            List<String> words, String name, ParsedOptions options, CallContext context)
            throws IOException {
        calls.add(String.join(" ", words));
        Path output = Files.writeString(fixture.home().resolve(name), said);
        return new BackgroundProcess() {
            @Override
            public Path output() {
                return output;
            }

            @Override
            public boolean isAlive() {
                return looksAlive-- > 0;
            }
        };
    }
}
