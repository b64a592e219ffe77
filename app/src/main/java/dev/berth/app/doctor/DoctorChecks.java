package dev.berth.app.doctor;

import dev.berth.config.Configuration;
import dev.berth.config.Configuration.ShimProgram;
import dev.berth.config.Configuration.TmuxWindow;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.node.gpu.GpuSettings;
import dev.berth.node.gpu.GpuSource;
import dev.berth.node.gpu.ProbeCheck;
import dev.berth.node.process.SearchPath;
import dev.berth.node.shim.NativeShim;
import dev.berth.slurm.CommandLineSlurm;
import dev.berth.store.HomeRefused;
import dev.berth.store.LocalFileSystem;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * All checks of {@code berth doctor}.
 *
 * @param server that runs at this home, if any
 */
record DoctorChecks(
        Path home,
        Configuration config,
        SearchPath programs,
        Optional<DoctorCommand.RunningServer> server) {

    private static final String GPUS = "nvidia-smi";

    private static final String DRIVER =
            "install the NVIDIA driver, set nvidia_smi_path in config/berth.yaml, or set gpu_probe:"
                    + " none if this machine has no GPU";

    /**
     * @param database the findings about the database
     */
    List<DoctorFinding> all(List<DoctorFinding> database) throws InterruptedException {
        return Stream.of(
                        List.of(homeDirectory()),
                        database,
                        List.of(port(), bash(), shim(), tmux()),
                        machine())
                .flatMap(List::stream)
                .toList();
    }

    /** What runs the tasks. */
    private List<DoctorFinding> machine() throws InterruptedException {
        return config.slurm().isEmpty()
                ? List.of(gpus(), python(), conda())
                : new SlurmChecks(
                                config,
                                new CommandLineSlurm(System.getProperty("user.name"), Map.of()),
                                SlurmChecks.Identity.own(programs),
                                Optional.empty())
                        .all();
    }

    private DoctorFinding homeDirectory() {
        try {
            LocalFileSystem.require(home);
        } catch (HomeRefused refused) {
            return DoctorFinding.wrong("home", String.valueOf(refused.getMessage()), "use --home");
        }
        var existing = home;
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        return Files.isWritable(existing)
                ? DoctorFinding.ok("home", home.toString())
                : DoctorFinding.wrong("home", existing + " cannot be written", "use --home");
    }

    private DoctorFinding port() {
        if (server.isPresent()) {
            return DoctorFinding.ok("port", "Berth serves at " + server.get().url());
        }
        int port = config.listening().port();
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(
                    new InetSocketAddress(InetAddress.getByName(config.listening().host()), port));
            return DoctorFinding.ok("port", config.listening().host() + ":" + port + " is free");
        } catch (IOException taken) {
            return DoctorFinding.wrong(
                    "port",
                    config.listening().host() + ":" + port + ": " + taken.getMessage(),
                    "stop the program that listens there, or set port (or auto_port: true)");
        }
    }

    private DoctorFinding bash() {
        return programs.find("bash")
                .map(path -> DoctorFinding.ok("bash", path.toString()))
                .orElseGet(() -> DoctorFinding.wrong("bash", "not on the PATH", "install bash"));
    }

    private DoctorFinding shim() {
        if (config.execution().shim() == ShimProgram.BASH) {
            return DoctorFinding.note("shim", "bash (shim: bash)");
        }
        var problem = NativeShim.problem();
        if (problem.isEmpty()) {
            return DoctorFinding.ok("shim", "native");
        }
        return config.execution().shim() == ShimProgram.NATIVE
                ? DoctorFinding.wrong(
                        "shim", problem.get(), "set shim: auto, and bash starts tasks")
                : DoctorFinding.note("shim", "bash, which is slower: " + problem.get());
    }

    private DoctorFinding tmux() throws InterruptedException {
        var running = config.execution();
        if (running.window() == TmuxWindow.NEVER) {
            return DoctorFinding.note("tmux", "not used (runner: detached)");
        }
        var program = running.tmux().or(() -> programs.find("tmux"));
        var remedy =
                "install tmux (Debian: apt install tmux), set tmux_path, or set runner: detached";
        if (program.isEmpty()) {
            return DoctorFinding.wrong("tmux", "not on the PATH", remedy);
        }
        return switch (ProgramOutput.run(program.get(), "-V")) {
            case ProgramOutput.ProgramResult.Succeeded(var version) ->
                    DoctorFinding.ok("tmux", program.get() + " (" + version + ")");
            case ProgramOutput.ProgramResult.Failed(var why) ->
                    DoctorFinding.wrong("tmux", program.get() + ": " + why, remedy);
        };
    }

    private DoctorFinding gpus() {
        // Its GPUs may be simulated by an option that no configuration shows.
        var served = server.map(DoctorCommand.RunningServer::gpuModels).orElse(List.of());
        if (!served.isEmpty()) {
            return DoctorFinding.ok(GPUS, listed(served, "the running server"));
        }
        var gpus = config.gpus();
        if (gpus.probe().equals("none") || gpus.probe().startsWith("sim")) {
            return DoctorFinding.note(GPUS, "not used (gpu_probe: " + gpus.probe() + ")");
        }
        var settings =
                new GpuSettings(
                        GpuSource.parse(gpus.probe()),
                        gpus.nvidiaSmi(),
                        gpus.nvml(),
                        SchedulingRules.DEFAULT);
        return switch (ProbeCheck.run(settings, programs)) {
            case ProbeCheck.Readable(var probe, var models) when !models.isEmpty() ->
                    DoctorFinding.ok(GPUS, listed(models, probe));
            case ProbeCheck.Readable(var probe, _) when probe.equals("none") ->
                    DoctorFinding.wrong(
                            GPUS, "neither the driver's library nor nvidia-smi was found", DRIVER);
            case ProbeCheck.Readable(var probe, _) ->
                    DoctorFinding.wrong(GPUS, probe + " lists no GPU", DRIVER);
            case ProbeCheck.Failed(var why) -> DoctorFinding.wrong(GPUS, why, DRIVER);
        };
    }

    private static String listed(List<String> models, String reader) {
        var counts = new TreeMap<String, Integer>();
        models.forEach(model -> counts.merge(model, 1, Integer::sum));
        var kinds = new StringJoiner("; ");
        counts.forEach((model, count) -> kinds.add(count == 1 ? model : count + " x " + model));
        return models.size() + " GPU(s) by " + reader + ": " + kinds;
    }

    private DoctorFinding python() {
        return programs.find("python")
                .or(() -> programs.find("python3"))
                .map(path -> DoctorFinding.ok("python", path.toString()))
                .orElseGet(
                        () ->
                                DoctorFinding.wrong(
                                        "python",
                                        "neither python nor python3 is on the PATH",
                                        "install it, or add its directory to extra_path"));
    }

    private DoctorFinding conda() {
        var script = config.execution().condaInitScript();
        if (script.isPresent()) {
            return Files.isReadable(script.get())
                    ? DoctorFinding.ok("conda", "every command sources " + script.get())
                    : DoctorFinding.wrong(
                            "conda",
                            "conda_init_script " + script.get() + " cannot be read",
                            "correct it in config/berth.yaml (often …/etc/profile.d/conda.sh)");
        }
        return programs.find("conda")
                .map(path -> DoctorFinding.ok("conda", path.toString()))
                .orElseGet(
                        () ->
                                DoctorFinding.note(
                                        "conda",
                                        "not on the PATH; tasks may source it themselves, or set"
                                                + " conda_init_script"));
    }
}
