package dev.berth.server;

import dev.berth.runs.CommandFiles;
import dev.berth.runs.FileRuns;
import dev.berth.runs.LogAccess;
import dev.berth.runs.RunResources;
import dev.berth.runs.RunSettings;
import dev.berth.server.api.task.WorkingDirectories;

import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/** The command files and runs of a {@link TestServer}, as the test has set them up. */
final class TestRunResources {

    private TestRunResources() {}

    static WorkingDirectories workingDirectories(RunResources lanes) {
        return new WorkingDirectories(
                Path.of("/etc/passwd"),
                Path.of(System.getProperty("user.home", "/")),
                lanes.paths());
    }

    static RunResources of(TestServer server) {
        var home = server.home;
        var usual = RunResources.at(home);
        var runs = new FileRuns(server.engine, server.store);
        return new RunResources(
                usual.files(),
                usual.bindings(),
                new LogAccess(home, () -> server.logRoots, () -> server.workDirs, usual.paths()),
                (mode, index) -> {
                    var pid = server.running.get(CommandFiles.fileNameOf(mode, index));
                    return pid == null ? runs.runId(mode, index) : OptionalLong.of(pid);
                },
                new RunSettings(
                        home,
                        () -> server.workDir,
                        () -> server.isWorkDirSet,
                        () -> home.resolve("logs"),
                        () -> Duration.ofSeconds(5),
                        () -> server.commands),
                usual.paths());
    }
}
