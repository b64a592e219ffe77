package dev.berth.slurm;

import dev.berth.core.task.Need;
import dev.berth.port.Node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

/** The options of {@code sbatch} for one attempt. */
final class JobOptions {

    private static final long SECONDS_A_MINUTE = 60;

    private JobOptions() {}

    /**
     * @param types the gres types that the cluster has
     * @param excluded the host on which the task could not start the last time
     */
    static List<String> of(
            Node.Launch launch,
            Path log,
            SlurmSettings settings,
            SortedSet<String> types,
            Optional<String> excluded) {
        var options = new ArrayList<String>();
        options.add("--job-name=" + HandedAttempts.jobName(launch.attempt().id()));
        options.add("--output=" + log.toString().replace("%", "%%"));
        options.add("--open-mode=append");
        options.add("--chdir=" + log.getParent());
        options.add("--nodes=1");
        options.add("--ntasks=1");
        settings.partition().ifPresent(name -> options.add("--partition=" + name));
        settings.account().ifPresent(name -> options.add("--account=" + name));
        settings.qos().ifPresent(name -> options.add("--qos=" + name));
        options.addAll(settings.options());
        launch.spec()
                .options()
                .timeLimit()
                .ifPresent(limit -> options.add("--time=" + minutes(limit)));
        excluded.ifPresent(host -> options.add("--exclude=" + host));
        options.addAll(BatchLines.passedOn(launch.spec().script().text().command()));
        if (launch.spec().requirements().need() instanceof Need.Gpus need) {
            options.add("--gres=gpu:" + gres(need, settings, types));
        }
        return options;
    }

    /** Whether the host could run it if it were empty. */
    static boolean fits(Node.Launch launch, SlurmNode node) {
        if (!(launch.spec().requirements().need() instanceof Need.Gpus need)) {
            return node.isUsable();
        }
        int count =
                node.gpus().stream()
                        .filter(
                                group ->
                                        need.type()
                                                .filter(type -> !type.equals(group.type()))
                                                .isEmpty())
                        .mapToInt(SlurmNode.GpuGroup::count)
                        .sum();
        return node.isUsable() && count >= need.count().min();
    }

    /** Slurm counts minutes and is the net: Berth itself ends the attempt at the second. */
    private static long minutes(Duration limit) {
        return limit.toSeconds() / SECONDS_A_MINUTE + 2;
    }

    private static String gres(Need.Gpus need, SlurmSettings settings, SortedSet<String> types) {
        var count = ":" + need.count().min();
        return type(need, settings, types)
                .map(type -> type + count)
                .orElse(Integer.toString(need.count().min()));
    }

    /** The smallest type with enough memory; none if every type of the cluster has enough. */
    private static Optional<String> type(
            Need.Gpus need, SlurmSettings settings, SortedSet<String> types) {
        if (need.type().isPresent()) {
            return need.type();
        }
        var needed = need.memory().mib();
        if (needed.isEmpty()) {
            return Optional.empty();
        }
        var fitting =
                settings.gpuMemoryMib().entrySet().stream()
                        .filter(entry -> entry.getValue() >= needed.getAsLong())
                        .filter(entry -> types.isEmpty() || types.contains(entry.getKey()))
                        .toList();
        boolean fitsAll =
                !types.isEmpty()
                        && types.stream()
                                .allMatch(
                                        type ->
                                                fitting.stream()
                                                        .anyMatch(
                                                                entry ->
                                                                        entry.getKey()
                                                                                .equals(type)));
        return fitsAll
                ? Optional.empty()
                : fitting.stream()
                        .min(Comparator.comparingLong(Map.Entry::getValue))
                        .map(Map.Entry::getKey);
    }
}
