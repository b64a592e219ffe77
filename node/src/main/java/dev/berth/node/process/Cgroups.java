package dev.berth.node.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Control groups version 2, one per attempt below the group of this process. A process enters a
 * group by writing to {@code cgroup.procs}. For that the kernel waits until every thread of the
 * host has passed a quiescent state: measured 4 to 16 ms on an idle host, 0.05 ms if the file
 * system is mounted with {@code favordynmods}.
 */
public final class Cgroups {
    private static final String PROCESSES = "cgroup.procs";

    private final Path parent;
    private final boolean isFast;

    private Cgroups(Path parent, boolean isCheap) {
        this.parent = parent;
        this.isFast = isCheap;
    }

    /** Empty if no such file system is mounted, or this process may not create groups in it. */
    public static Optional<Cgroups> find() throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/self/mounts"))) {
            var fields = line.split(" ", -1);
            if (fields.length > 3 && fields[2].equals("cgroup2")) {
                return below(Path.of(fields[1]), List.of(fields[3].split(",", -1)));
            }
        }
        return Optional.empty();
    }

    private static Optional<Cgroups> below(Path mount, List<String> options) throws IOException {
        var own =
                Files.readAllLines(Path.of("/proc/self/cgroup")).stream()
                        .filter(line -> line.startsWith("0::/"))
                        .findFirst();
        if (own.isEmpty()) {
            return Optional.empty();
        }
        var parent = mount.resolve(own.get().substring("0::/".length()));
        return Files.isWritable(parent) && Files.isWritable(parent.resolve(PROCESSES))
                ? Optional.of(new Cgroups(parent, options.contains("favordynmods")))
                : Optional.empty();
    }

    /** True if entering a group is fast enough to do it at every start. */
    public boolean isFast() {
        return isFast;
    }

    /**
     * @param name only letters, digits and {@code .-_}
     */
    public Path create(String name) throws IOException {
        if (!name.matches("[\\w.-]+") || name.startsWith(".")) {
            throw new IllegalArgumentException("no name for a cgroup: " + name);
        }
        var group = parent.resolve(name);
        if (!Files.isDirectory(group)) {
            Files.createDirectory(group);
        }
        return group;
    }

    /** The group of this name, if it exists. */
    public Optional<Path> find(String name) {
        return Optional.of(parent.resolve(name)).filter(Files::isDirectory);
    }

    /** The file to which a process writes 0 to enter the group. */
    public static Path procsFile(Path group) {
        return group.resolve(PROCESSES);
    }

    /** All processes in the group and in the groups below it. */
    static List<Long> processes(Path group) throws IOException {
        var pids = new ArrayList<Long>();
        try (var tree = Files.walk(group)) {
            for (var directory : (Iterable<Path>) tree.filter(Files::isDirectory)::iterator) {
                Files.readAllLines(directory.resolve(PROCESSES)).stream()
                        .map(Long::valueOf)
                        .forEach(pids::add);
            }
        } catch (NoSuchFileException gone) {
            return List.of();
        }
        return pids;
    }

    /**
     * Removes an empty group and those below it, which its processes may have made where they had
     * the right.
     */
    public static void remove(Path group) throws IOException {
        try (var tree = Files.walk(group)) {
            for (var directory : tree.filter(Files::isDirectory).toList().reversed()) {
                Files.deleteIfExists(directory);
            }
        } catch (NoSuchFileException gone) {
            return;
        }
    }
}
