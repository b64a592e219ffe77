package dev.berth.app.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the living processes of one test home. A task inherits the server's environment, so a
 * marker variable identifies every process that the home ever started, even if Berth has lost track
 * of it.
 */
final class LeftoverProcesses {

    /** A living process; zombies do not count. */
    record LeftoverProcess(long pid, String commandLine) {}

    private LeftoverProcesses() {}

    /**
     * @param except the servers; the shims that they have started ahead are theirs, not a task's
     */
    static List<LeftoverProcess> marked(String mark, Set<Long> except) {
        var found = new ArrayList<LeftoverProcess>();
        try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var entry : entries) {
                look(entry, mark)
                        .filter(stray -> !except.contains(stray.pid()))
                        .filter(stray -> !isIdle(stray.pid(), except))
                        .filter(stray -> !isOver(stray.commandLine()))
                        .ifPresent(found::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("reading /proc", e);
        }
        return found;
    }

    /** True for a shim of a living server that has no attempt yet, and for its shell. */
    private static boolean isIdle(long pid, Set<Long> servers) {
        var parent = parent(pid);
        if (parent.filter(servers::contains).isPresent()) {
            return isSpare(pid) || isWithoutProgram(pid, parent.get());
        }
        return parent.filter(LeftoverProcesses::isSpare).isPresent()
                && parent.flatMap(LeftoverProcesses::parent).filter(servers::contains).isPresent();
    }

    /** Until a new process has loaded its program, it shows its parent's command line, or none. */
    private static boolean isWithoutProgram(long pid, long parent) {
        var own = commandLine(pid);
        return own.isEmpty() || own.equals(commandLine(parent));
    }

    private static boolean isSpare(long pid) {
        return commandLine(pid).filter(line -> line.contains("\0-s\0")).isPresent();
    }

    private static Optional<String> commandLine(long pid) {
        return read(Path.of("/proc/" + pid + "/cmdline"));
    }

    private static Optional<Long> parent(long pid) {
        return read(Path.of("/proc/" + pid + "/stat"))
                .map(stat -> stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[1])
                .map(Long::valueOf);
    }

    /** True for a shim that has published the exit code: it only waits until that is stored. */
    private static boolean isOver(String commandLine) {
        var words = List.of(commandLine.split(" ", -1));
        return words.size() == 3
                && words.get(1).equals("-p")
                && words.get(2).endsWith("/run.sh")
                && Files.exists(Path.of(words.get(2)).resolveSibling("exit_code"));
    }

    /** Ends a process of this home, if it still belongs to it. */
    static void end(LeftoverProcess stray, String mark) {
        ProcessHandle.of(stray.pid())
                .filter(_ -> look(Path.of("/proc/" + stray.pid()), mark).isPresent())
                .ifPresent(ProcessHandle::destroyForcibly);
    }

    /** True if the process exists and is not a zombie. */
    static boolean isAlive(long pid) {
        return read(Path.of("/proc/" + pid + "/stat"))
                .filter(LeftoverProcesses::isLiving)
                .isPresent();
    }

    private static Optional<LeftoverProcess> look(Path entry, String mark) {
        return read(entry.resolve("environ"))
                .filter(environment -> environment.contains(mark))
                .filter(
                        _ ->
                                read(entry.resolve("stat"))
                                        .filter(LeftoverProcesses::isLiving)
                                        .isPresent())
                .map(
                        _ ->
                                new LeftoverProcess(
                                        Long.parseLong(entry.getFileName().toString()),
                                        read(entry.resolve("cmdline"))
                                                .orElse("?")
                                                .replace('\0', ' ')
                                                .strip()));
    }

    /** The state is the first letter after the program's name, which may contain any character. */
    private static boolean isLiving(String stat) {
        var state = stat.charAt(stat.lastIndexOf(')') + 2);
        return state != 'Z' && state != 'X';
    }

    /** Empty if the process has ended or belongs to another user: neither can be ours. */
    private static Optional<String> read(Path file) {
        try {
            return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                    .filter(content -> !content.isEmpty());
        } catch (IOException _) {
            return Optional.empty();
        }
    }
}
