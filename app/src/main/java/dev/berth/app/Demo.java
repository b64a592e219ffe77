package dev.berth.app;

import dev.berth.app.demo.Show;
import dev.berth.cli.call.Command;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.engine.port.StoreFailure;
import dev.berth.node.card.CardSource;
import dev.berth.server.DoorBlocked;
import dev.berth.server.config.ConfigRefused;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.Layers;
import dev.berth.store.HomeRefused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A server on simulated cards with sample tasks, in a home that goes when it ends. */
final class Demo implements Command {

    private static final CardSource CARDS = CardSource.parse("lab:6x40960:Demo A100 40GB");

    @Override
    public Syntax syntax() {
        return new Syntax(
                "demo", "", "Show Berth on simulated cards with sample tasks", List.of(Serve.PORT));
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException, InterruptedException {
        given.expectNoArguments();
        var home = Files.createTempDirectory("berth-demo-");
        try (var serving = Serving.start(settings(home, given))) {
            var show = Show.begin(serving.socket(), home);
            around.out().println("ready " + serving.url());
            around.out().flush();
            around.err()
                    .println(
                            "Open "
                                    + serving.url()
                                    + " in a browser on this machine. Its cards are simulated, its"
                                    + " tasks are real processes.\nIn another terminal: berth"
                                    + " --home "
                                    + home
                                    + " ls\nCtrl-C ends the demo, its tasks, and removes "
                                    + home);
            around.err().flush();
            serving.awaitStop(show::end, () -> Show.remove(home));
            return 0;
        } catch (HomeRefused | DoorBlocked | StoreFailure | ConfigRefused refused) {
            Show.remove(home);
            throw new Refused(String.valueOf(refused.getMessage()));
        }
    }

    private static Settings settings(Path home, Options given) throws ConfigRefused {
        var words =
                new TreeMap<>(Map.of("auth", "none", "auto_port", "true", "runner", "detached"));
        words.put("work_dir", home.toString());
        words.put("gpu_left", "0");
        var port = given.value(Serve.PORT);
        if (port != null) {
            words.put("port", port);
        }
        var layers = new Layers(home, Optional.empty(), Map.of(), words);
        return new Settings(layers, Configuration.load(layers), CARDS, true);
    }
}
