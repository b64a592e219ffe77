package dev.berth.app;

import dev.berth.config.Configuration;
import dev.berth.config.receiver.MailServer;
import dev.berth.files.PathPermissions;
import dev.berth.files.TimeLimitedCalls;
import dev.berth.files.UserPaths;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The programs, scripts and secrets that the configuration names. They run, or are used, as the
 * server's user: no other user may be able to change them.
 */
record ConfiguredFiles(List<ConfiguredFile> files) {

    /** Absolute paths in a command line. */
    private static final Pattern PATH = Pattern.compile("(?<![^\\s='\"])/[^\\s;|&'\"<>()$`]+");

    /**
     * @param key the key of the configuration, or the option
     */
    record ConfiguredFile(String key, Path path) {}

    /**
     * @param configuration a configuration file outside of the home
     */
    static ConfiguredFiles of(Configuration config, Optional<Path> configuration) {
        var files = new ArrayList<ConfiguredFile>();
        configuration.ifPresent(path -> files.add(new ConfiguredFile("--config", path)));
        config.listening()
                .tls()
                .ifPresent(
                        tls -> {
                            files.add(new ConfiguredFile("tls_cert", tls.certificate()));
                            files.add(new ConfiguredFile("tls_key", tls.key()));
                        });
        var gpus = config.gpus();
        gpus.nvidiaSmi().ifPresent(path -> files.add(new ConfiguredFile("nvidia_smi_path", path)));
        gpus.nvml().ifPresent(path -> files.add(new ConfiguredFile("nvml_path", path)));
        gpus.faultHandling()
                .testCommand()
                .ifPresent(
                        command ->
                                PATH.matcher(command)
                                        .results()
                                        .map(found -> Path.of(found.group()))
                                        .map(path -> new ConfiguredFile("gpu_test_command", path))
                                        .forEach(files::add));
        var execution = config.execution();
        execution.tmux().ifPresent(path -> files.add(new ConfiguredFile("tmux_path", path)));
        execution
                .condaInitScript()
                .ifPresent(path -> files.add(new ConfiguredFile("conda_init_script", path)));
        execution.extraPath().forEach(path -> files.add(new ConfiguredFile("extra_path", path)));
        passwordFile(config)
                .ifPresent(path -> files.add(new ConfiguredFile("smtp.password_file", path)));
        return new ConfiguredFiles(List.copyOf(files));
    }

    private static Optional<Path> passwordFile(Configuration config) {
        return config.notifications()
                .mailServer()
                .flatMap(MailServer::login)
                .flatMap(
                        login ->
                                login.password() instanceof MailServer.Password.InFile(var file)
                                        ? Optional.of(file)
                                        : Optional.empty());
    }

    /**
     * @throws IllegalArgumentException another user could change one of the files, or its file
     *     system does not answer; the message names its key
     */
    void requireTrusted() {
        try {
            var user = PathPermissions.ofThisProcess();
            var paths = UserPaths.withOwnThreads();
            for (var file : files) {
                requireTrusted(file, user, paths);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the user of this process cannot be read", e);
        }
    }

    private static void requireTrusted(ConfiguredFile file, PathPermissions user, UserPaths paths) {
        Optional<PathPermissions.Weakness> weakness;
        try {
            weakness = paths.access(file.path(), () -> user.weaknessOf(file.path()));
        } catch (TimeLimitedCalls.NoAnswerException late) {
            throw new IllegalArgumentException(file.key() + ": " + late.getMessage(), late);
        } catch (IOException _) {
            // What cannot be examined cannot be used either; its user reports that.
            return;
        }
        if (weakness.isPresent()) {
            throw new IllegalArgumentException(
                    "%s: %s cannot be used: %s, so another user could change it%s"
                            .formatted(
                                    file.key(),
                                    file.path(),
                                    weakness.get().describe(),
                                    weakness.get()
                                            .remedy(user.userName())
                                            .map(command -> "; run: " + command)
                                            .orElse("")));
        }
    }
}
