package dev.berth.app.doctor;

import dev.berth.core.plan.Rules;
import dev.berth.engine.port.StoreFailure;
import dev.berth.node.card.CardLook;
import dev.berth.node.card.CardSettings;
import dev.berth.node.card.CardSource;
import dev.berth.node.process.SearchPath;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.Configuration.Window;
import dev.berth.store.Database;
import dev.berth.store.HomeRefused;
import dev.berth.store.LocalFileSystem;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Everything that is looked at.
 *
 * @param serverUrl of the server that runs at this home, if one does
 */
record Checks(Path home, Configuration config, SearchPath programs, Optional<String> serverUrl) {

    private static final String DRIVER =
            "install the NVIDIA driver, set nvidia_smi_path in config/berth.yaml, or set gpu_probe:"
                    + " none if this machine has no GPU";

    List<Finding> all() throws InterruptedException {
        return List.of(
                homeDirectory(), database(), port(), bash(), tmux(), cards(), python(), conda());
    }

    private Finding homeDirectory() {
        try {
            LocalFileSystem.require(home);
        } catch (HomeRefused refused) {
            return Finding.wrong("home", String.valueOf(refused.getMessage()), "use --home");
        }
        var existing = home;
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        return Files.isWritable(existing)
                ? Finding.well("home", home.toString())
                : Finding.wrong("home", existing + " cannot be written", "use --home");
    }

    private Finding database() {
        var file = config.storage().database();
        if (!Files.exists(file)) {
            return Finding.well("database", "none yet; the first start makes " + file);
        }
        try {
            Database.examine(file);
            return Finding.well("database", file.toString());
        } catch (HomeRefused refused) {
            return Finding.wrong("database", String.valueOf(refused.getMessage()), "see above");
        } catch (StoreFailure failure) {
            return Finding.wrong(
                    "database",
                    String.valueOf(failure.getMessage()),
                    "check the disk and its rights");
        }
    }

    private Finding port() {
        if (serverUrl.isPresent()) {
            return Finding.well("port", "Berth serves at " + serverUrl.get());
        }
        int port = config.door().port();
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(config.door().host()), port));
            return Finding.well("port", config.door().host() + ":" + port + " is free");
        } catch (IOException taken) {
            return Finding.wrong(
                    "port",
                    config.door().host() + ":" + port + ": " + taken.getMessage(),
                    "stop what listens there, or set port (or auto_port: true)");
        }
    }

    private Finding bash() {
        return programs.find("bash")
                .map(path -> Finding.well("bash", path.toString()))
                .orElseGet(() -> Finding.wrong("bash", "not on the PATH", "install bash"));
    }

    private Finding tmux() throws InterruptedException {
        var running = config.running();
        if (running.window() == Window.NEVER) {
            return Finding.note("tmux", "not used (runner: detached)");
        }
        var program = running.tmux().or(() -> programs.find("tmux"));
        var remedy =
                "install tmux (Debian: apt install tmux), set tmux_path, or set runner: detached";
        if (program.isEmpty()) {
            return Finding.wrong("tmux", "not on the PATH", remedy);
        }
        return switch (Programs.ask(program.get(), "-V")) {
            case Programs.Answer.Said(var version) ->
                    Finding.well("tmux", program.get() + " (" + version + ")");
            case Programs.Answer.Failed(var why) ->
                    Finding.wrong("tmux", program.get() + ": " + why, remedy);
        };
    }

    private Finding cards() {
        var cards = config.cards();
        if (cards.probe().equals("none") || cards.probe().equals("sim")) {
            return Finding.note("nvidia-smi", "not used (gpu_probe: " + cards.probe() + ")");
        }
        var settings =
                new CardSettings(
                        CardSource.parse(cards.probe()),
                        cards.nvidiaSmi(),
                        cards.nvml(),
                        Rules.USUAL);
        return switch (CardLook.now(settings, programs)) {
            case CardLook.Seen(var probe, var models) when !models.isEmpty() ->
                    Finding.well(
                            "nvidia-smi",
                            models.size()
                                    + " card(s) by "
                                    + probe
                                    + ": "
                                    + String.join("; ", models));
            case CardLook.Seen(var probe, _) when probe.equals("none") ->
                    Finding.wrong(
                            "nvidia-smi",
                            "neither the driver's library nor nvidia-smi is here",
                            DRIVER);
            case CardLook.Seen(var probe, _) ->
                    Finding.wrong("nvidia-smi", probe + " lists no card", DRIVER);
            case CardLook.Failed(var why) -> Finding.wrong("nvidia-smi", why, DRIVER);
        };
    }

    private Finding python() {
        return programs.find("python")
                .or(() -> programs.find("python3"))
                .map(path -> Finding.well("python", path.toString()))
                .orElseGet(
                        () ->
                                Finding.wrong(
                                        "python",
                                        "neither python nor python3 is on the PATH",
                                        "install it, or add its directory to extra_path"));
    }

    private Finding conda() {
        var script = config.running().condaInitScript();
        if (script.isPresent()) {
            return Files.isReadable(script.get())
                    ? Finding.well("conda", "every command sources " + script.get())
                    : Finding.wrong(
                            "conda",
                            "conda_init_script " + script.get() + " cannot be read",
                            "correct it in config/berth.yaml (often …/etc/profile.d/conda.sh)");
        }
        return programs.find("conda")
                .map(path -> Finding.well("conda", path.toString()))
                .orElseGet(
                        () ->
                                Finding.note(
                                        "conda",
                                        "not on the PATH; tasks may source it themselves, or set"
                                                + " conda_init_script"));
    }
}
