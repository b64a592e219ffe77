package dev.berth.cli.command;

import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.stage.Stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts the stage's stub of a server, and pretends to start programs. */
final class StubHosting implements Hosting {

    private final Stage stage;
    private final List<String> did = new ArrayList<>();
    private String said = "";
    private int looksAlive = Integer.MAX_VALUE;

    StubHosting(Stage stage) {
        this.stage = stage;
    }

    /** What was asked of it. */
    List<String> did() {
        return did;
    }

    /**
     * What the program in the background writes at once.
     *
     * @param looks how often it is found alive
     */
    void says(String text, int looks) {
        said = text;
        looksAlive = looks;
    }

    @Override
    public void start(Options given, Surroundings around) {
        did.add("start");
        stage.server().start();
    }

    @Override
    public void stop(Options given, Surroundings around) {
        did.add("stop");
    }

    @Override
    public Background launch(List<String> words, String name, Options given, Surroundings around)
            throws IOException {
        did.add(String.join(" ", words));
        Path output = Files.writeString(stage.home().resolve(name), said);
        return new Background() {
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
