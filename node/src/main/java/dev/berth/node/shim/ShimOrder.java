package dev.berth.node.shim;

import dev.berth.core.task.EnvironmentName;
import dev.berth.node.process.Marker;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one attempt is to run, and how.
 *
 * @param workDir absolute; where the command begins
 * @param environment the task's own additions; see {@link EnvironmentName}
 * @param cards indices for CUDA_VISIBLE_DEVICES; none for a task on the cpu
 * @param runAs words before the command's shell, that make it another user's; empty for the
 *     server's own
 * @param failpoints where tests arm them; empty otherwise
 * @param cgroupEntrance the file by which a process enters the attempt's cgroup, if it has one
 */
public record ShimOrder(
        Marker marker,
        String command,
        Path workDir,
        SortedMap<String, String> environment,
        List<Integer> cards,
        List<String> runAs,
        Optional<Path> failpoints,
        Optional<Path> cgroupEntrance) {

    public ShimOrder {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
        cards = List.copyOf(cards);
        runAs = List.copyOf(runAs);
        if (command.indexOf('\0') >= 0
                || environment.values().stream().anyMatch(v -> v.indexOf('\0') >= 0)) {
            throw new IllegalArgumentException("a script or variable cannot hold a zero byte");
        }
        for (var name : environment.keySet()) {
            EnvironmentName.refusal(name)
                    .ifPresent(
                            why -> {
                                throw new IllegalArgumentException(name + " " + why.words());
                            });
        }
    }

    /** The command and the environment are the owner's secrets. */
    @Override
    public String toString() {
        return "ShimOrder[" + marker.value() + ", cards " + cards + "]";
    }
}
