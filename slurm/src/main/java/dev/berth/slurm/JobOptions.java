package dev.berth.slurm;

import dev.berth.core.batch.BatchScript;
import dev.berth.core.task.Need;
import dev.berth.port.Node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.regex.Pattern;

/** The options of {@code sbatch} for one attempt. */
final class JobOptions {

    private static final long SECONDS_A_MINUTE = 60;
    private static final long MIB = 1024;
    private static final Pattern MEMORY =
            Pattern.compile("(--mem(?:-per-cpu|-per-gpu)?=)(\\d{1,12})([KMGTkmgt]?)[Bb]?");

    private JobOptions() {}

    /**
     * What earlier attempts of a task showed.
     *
     * @param excluded the host on which it could not start the last time
     * @param memoryShortages how often Slurm ended it because it used more memory than its job had
     */
    record Earlier(Optional<String> excluded, int memoryShortages) {}

    /**
     * @param types the gres types that the cluster has
     */
    static List<String> of(
            Node.Launch launch,
            Path log,
            SlurmSettings settings,
            SortedSet<String> types,
            Earlier earlier) {
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
        earlier.excluded().ifPresent(host -> options.add("--exclude=" + host));
        options.addAll(BatchScript.passedOn(launch.spec().script().text().command()));
        if (launch.spec().requirements().need() instanceof Need.Gpus need) {
            options.add("--gres=gpu:" + gres(need, settings, types));
        }
        options.replaceAll(option -> withMoreMemory(option, earlier.memoryShortages()));
        return options;
    }

    /** A fifth more for each time that the memory was too little; in MiB, as 1.2 of 1G is none. */
    private static String withMoreMemory(String option, int shortages) {
        var found = MEMORY.matcher(option);
        if (shortages == 0 || !found.matches()) {
            return option;
        }
        double mib =
                Long.parseLong(found.group(2))
                        * switch (found.group(3).toUpperCase(Locale.ROOT)) {
                            case "K" -> 1.0 / MIB;
                            case "G" -> MIB;
                            case "T" -> (double) MIB * MIB;
                            default -> 1.0;
                        };
        return found.group(1) + (long) Math.ceil(mib * Math.pow(1.2, shortages)) + "M";
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
