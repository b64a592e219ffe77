package dev.berth.node.shim;

import dev.berth.core.task.EnvironmentName;
import dev.berth.node.process.Marker;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What one attempt has to run, and how.
 *
 * @param workDir absolute; the command starts there
 * @param environment variables of the task; see {@link EnvironmentName}
 * @param gpuIndices GPU indices for CUDA_VISIBLE_DEVICES; empty for a CPU task
 * @param owner the account that the command runs as; empty to run as the server's user
 * @param failpoints directory in which tests arm failpoints; empty otherwise
 * @param cgroupProcsFile the file to which a process writes to enter the attempt's cgroup, if it
 *     has one
 * @param header describes the task for {@code berth recover}
 */
public record ShimParameters(
        Marker marker,
        String command,
        Path workDir,
        SortedMap<String, String> environment,
        List<Integer> gpuIndices,
        Optional<CommandOwner> owner,
        Optional<Path> failpoints,
        Optional<Path> cgroupProcsFile,
        Optional<AttemptHeader> header) {

    private static final Pattern OUTPUT_FILE =
            Pattern.compile(
                    "/dev/std(?:err|out)\\b|/dev/fd/[12]\\b|/proc/(?:self|\\$\\$)/fd/[12]\\b");

    public ShimParameters {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
        gpuIndices = List.copyOf(gpuIndices);
        if (command.indexOf('\0') >= 0
                || environment.values().stream().anyMatch(v -> v.indexOf('\0') >= 0)) {
            throw new IllegalArgumentException("a script or variable cannot hold a zero byte");
        }
        for (var name : environment.keySet()) {
            EnvironmentName.problem(name)
                    .ifPresent(
                            why -> {
                                throw new IllegalArgumentException(name + " " + why.text());
                            });
        }
    }

    /** Without a header. */
    public ShimParameters(
            Marker marker,
            String command,
            Path workDir,
            SortedMap<String, String> environment,
            List<Integer> gpuIndices,
            Optional<CommandOwner> owner,
            Optional<Path> failpoints,
            Optional<Path> cgroupProcsFile) {
        this(
                marker,
                command,
                workDir,
                environment,
                gpuIndices,
                owner,
                failpoints,
                cgroupProcsFile,
                Optional.empty());
    }

    /**
     * True if the command names its own output as a file. A pipe of root could not be opened by
     * another user.
     */
    boolean opensOutputAgain() {
        return owner.isEmpty() && OUTPUT_FILE.matcher(command).find();
    }

    /**
     * True if a shim that was started ahead can run the command. Variables of the task are set
     * before a shell starts, because some change how it starts; the shell of an owner is never
     * started ahead.
     */
    public boolean suitsSpare() {
        return (environment.isEmpty() || owner.isPresent())
                && cgroupProcsFile.isEmpty()
                && !opensOutputAgain();
    }

    /** Omits the command and the environment, which may contain secrets. */
    @Override
    public String toString() {
        return "ShimParameters[" + marker.value() + ", gpus " + gpuIndices + "]";
    }
}
