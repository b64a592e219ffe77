package dev.berth.app;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Homes;
import dev.berth.engine.port.StoreFailure;
import dev.berth.node.card.CardSource;
import dev.berth.server.DoorBlocked;
import dev.berth.server.config.ConfigRefused;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.Layers;
import dev.berth.store.HomeRefused;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Runs the server in the foreground. */
final class Serve implements Command {

    static final Option PORT =
            Option.valued("--port", "N", "listen on 127.0.0.1:N (29214; 0 takes any that is free)");
    static final Option HOST =
            Option.valued("--host", "ADDR", "127.0.0.1; other addresses only behind a proxy");
    static final Option GPUS =
            Option.valued(
                    "--gpus", "WHICH", "auto, nvml, nvidia-smi, none or sim:COUNTxMIB[:NAME]");
    static final Option AUTH =
            Option.valued(
                    "--auth", "HOW", "token, or none for programs of this user on this machine");
    static final Option CONFIG = Option.valued("--config", "FILE", "the configuration file");

    static final Option QUIET = Option.flag("--quiet", "log to HOME/logs/berth.log only");

    /** What {@code start} hands on. */
    static final List<Option> OPTIONS = List.of(PORT, HOST, GPUS, AUTH, CONFIG);

    @Override
    public Syntax syntax() {
        return new Syntax("serve", "", "Run the server in the foreground", withQuiet());
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException, InterruptedException {
        given.expectNoArguments();
        var settings = settings(given, around);
        try (var serving = Serving.start(settings)) {
            around.out().println("ready " + serving.url());
            around.out().flush();
            serving.awaitStop();
            return 0;
        } catch (HomeRefused | DoorBlocked | StoreFailure refused) {
            throw new Refused(String.valueOf(refused.getMessage()));
        }
    }

    private static List<Option> withQuiet() {
        var all = new ArrayList<>(OPTIONS);
        all.add(QUIET);
        return all;
    }

    /** The words that say the same to another {@code berth serve}. */
    static List<String> words(Options given) {
        var words = new ArrayList<String>();
        for (var option : OPTIONS) {
            given.values(option).forEach(value -> words.addAll(List.of(option.name(), value)));
        }
        return words;
    }

    /** Wrong words and a wrong configuration are told before anything starts. */
    static Settings settings(Options given, Surroundings around) {
        var root = Homes.chosen(given.value(Option.HOME), around);
        var words = new TreeMap<String, String>();
        for (var option : List.of(HOST, PORT, AUTH)) {
            var value = given.value(option);
            if (value != null) {
                words.put(option.name().substring(2), value);
            }
        }
        var file = Optional.ofNullable(given.value(CONFIG)).map(around.cwd()::resolve);
        try {
            var layers = new Layers(root, file, around.env(), words);
            var config = Configuration.load(layers);
            var cards = cards(given.value(GPUS), config.cards().probe());
            return new Settings(layers, config, cards, given.has(QUIET));
        } catch (ConfigRefused | IllegalArgumentException refused) {
            var why = String.valueOf(refused.getMessage());
            throw why.startsWith(Layers.WORDS) ? new UsageError(why) : new Refused(why);
        }
    }

    private static CardSource cards(@Nullable String asked, String configured) {
        try {
            return CardSource.parse(asked == null ? configured : asked);
        } catch (IllegalArgumentException wrong) {
            throw new UsageError(String.valueOf(wrong.getMessage()));
        }
    }
}
