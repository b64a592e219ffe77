package dev.berth.app.live;

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
 * Finds the living processes that came from one world. A task inherits the server's environment, so
 * a mark put there is on everything the world ever started, even where Berth itself has lost it.
 */
final class Strays {

    /** A living process; zombies are none. */
    record Stray(long pid, String commandLine) {}

    private Strays() {}

    static List<Stray> marked(String mark, Set<Long> except) {
        var found = new ArrayList<Stray>();
        try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var entry : entries) {
                look(entry, mark)
                        .filter(stray -> !except.contains(stray.pid()))
                        .ifPresent(found::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("reading /proc", e);
        }
        return found;
    }

    /** Ends a process of the world, if it still is one. */
    static void end(Stray stray, String mark) {
        ProcessHandle.of(stray.pid())
                .filter(_ -> look(Path.of("/proc/" + stray.pid()), mark).isPresent())
                .ifPresent(ProcessHandle::destroyForcibly);
    }

    /** Whether a process is there and is not a zombie. */
    static boolean isAlive(long pid) {
        return read(Path.of("/proc/" + pid + "/stat")).filter(Strays::isLiving).isPresent();
    }

    private static Optional<Stray> look(Path entry, String mark) {
        return read(entry.resolve("environ"))
                .filter(environment -> environment.contains(mark))
                .filter(_ -> read(entry.resolve("stat")).filter(Strays::isLiving).isPresent())
                .map(
                        _ ->
                                new Stray(
                                        Long.parseLong(entry.getFileName().toString()),
                                        read(entry.resolve("cmdline"))
                                                .orElse("?")
                                                .replace('\0', ' ')
                                                .strip()));
    }

    /** The state is the first letter after the program's name, which may itself hold anything. */
    private static boolean isLiving(String stat) {
        var state = stat.charAt(stat.lastIndexOf(')') + 2);
        return state != 'Z' && state != 'X';
    }

    /** Nothing where the process is gone or is somebody else's: neither can be one of ours. */
    private static Optional<String> read(Path file) {
        try {
            return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                    .filter(content -> !content.isEmpty());
        } catch (IOException _) {
            return Optional.empty();
        }
    }
}
