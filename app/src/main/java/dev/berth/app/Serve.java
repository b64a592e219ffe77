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
import dev.berth.server.DoorSettings;
import dev.berth.server.identity.Auth;
import dev.berth.store.HomeRefused;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs the server in the foreground. */
final class Serve implements Command {

    static final Option PORT =
            Option.valued("--port", "N", "listen on 127.0.0.1:N (29214; 0 takes any that is free)");
    static final Option HOST =
            Option.valued("--host", "ADDR", "127.0.0.1; other addresses only behind a proxy");
    static final Option GPUS =
            Option.valued("--gpus", "WHICH", "auto, none or sim:COUNTxMIB[:NAME]");
    static final Option AUTH =
            Option.valued(
                    "--auth", "HOW", "token, or none for programs of this user on this machine");
    static final Option CONFIG = Option.valued("--config", "FILE", "the configuration file");

    static final Option QUIET = Option.flag("--quiet", "log to HOME/logs/berth.log only");

    /** What {@code start} hands on. */
    static final List<Option> OPTIONS = List.of(PORT, HOST, GPUS, AUTH, CONFIG);

    private static final String DEFAULT_PORT = "29214";

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

    static Settings settings(Options given, Surroundings around) {
        if (given.has(CONFIG)) {
            throw new UsageError("--config is not supported yet");
        }
        var home = new Home(Homes.chosen(given.value(Option.HOME), around));
        return new Settings(
                home,
                door(given, home),
                cards(given.value(GPUS)),
                NodeLimits.from(around.env()),
                given.has(QUIET));
    }

    private static DoorSettings door(Options given, Home home) {
        var usual =
                DoorSettings.local(home.root(), port(given.value(PORT)), auth(given.value(AUTH)));
        var host = given.value(HOST);
        try {
            return host == null ? usual : usual.on(host);
        } catch (IllegalArgumentException wrong) {
            throw new UsageError("--" + wrong.getMessage());
        }
    }

    private static int port(@Nullable String text) {
        try {
            int port = Integer.parseInt(text == null ? DEFAULT_PORT : text);
            if (port >= 0 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException _) {
            // Said below, as for a number out of range.
        }
        throw new UsageError("--port is a number from 0 to 65535, not " + text);
    }

    private static Auth auth(@Nullable String text) {
        return switch (text == null ? "token" : text) {
            case "token" -> Auth.TOKEN;
            case "none" -> Auth.NONE;
            default -> throw new UsageError("--auth is token or none, not " + text);
        };
    }

    private static CardSource cards(@Nullable String text) {
        try {
            return CardSource.parse(text == null ? "auto" : text);
        } catch (IllegalArgumentException wrong) {
            throw new UsageError(String.valueOf(wrong.getMessage()));
        }
    }
}
