package dev.berth.app;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Homes;
import dev.berth.core.plan.Rules;
import dev.berth.engine.port.StoreFailure;
import dev.berth.node.card.CardSettings;
import dev.berth.node.card.CardSource;
import dev.berth.server.DoorBlocked;
import dev.berth.server.identity.Auth;
import dev.berth.store.HomeRefused;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs the server in the foreground. */
final class Serve implements Command {

    static final Option PORT =
            Option.valued("--port", "N", "listen on 127.0.0.1:N (29214; 0 takes any that is free)");
    static final Option HOST =
            Option.valued("--host", "ADDR", "127.0.0.1; other addresses need tokens and TLS");
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

    /** Until the configuration file names them. */
    private static final String NVIDIA_SMI = "BERTH_NVIDIA_SMI";

    private static final String NVML = "BERTH_NVML";

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
        var host = given.value(HOST);
        if (host != null && !host.equals("127.0.0.1") && !host.equals("localhost")) {
            throw new UsageError(
                    "--host "
                            + host
                            + ": only 127.0.0.1 is served, because calls from elsewhere would"
                            + " need tokens and TLS, which are not supported yet");
        }
        return new Settings(
                new Home(Homes.chosen(given.value(Option.HOME), around)),
                port(given.value(PORT)),
                auth(given.value(AUTH)),
                new CardSettings(
                        cards(given.value(GPUS)),
                        file(around, NVIDIA_SMI),
                        file(around, NVML),
                        Rules.USUAL),
                NodeLimits.from(around.env()),
                given.has(QUIET));
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

    private static Optional<Path> file(Surroundings around, String variable) {
        return Optional.ofNullable(around.env().get(variable)).map(Path::of);
    }

    private static CardSource cards(@Nullable String text) {
        try {
            return CardSource.parse(text == null ? "auto" : text);
        } catch (IllegalArgumentException wrong) {
            throw new UsageError(String.valueOf(wrong.getMessage()));
        }
    }
}
