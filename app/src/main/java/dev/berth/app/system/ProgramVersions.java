package dev.berth.app.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The installed versions of the program. */
final class ProgramVersions {

    private ProgramVersions() {}

    /** Removes the versions from which no process runs. */
    static void removeUnused(Path versions, Path current) throws IOException {
        List<Path> all;
        try (var directories = Files.list(versions)) {
            all = directories.filter(one -> !one.equals(current)).sorted().toList();
        }
        for (var version : all) {
            if (!isInUse(version)) {
                FileTrees.delete(version);
            }
        }
    }

    private static boolean isInUse(Path version) throws IOException {
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : processes) {
                if (commandLine(process).contains(version + "/")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String commandLine(Path process) {
        try {
            return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException ended) {
            return "";
        }
    }
}
