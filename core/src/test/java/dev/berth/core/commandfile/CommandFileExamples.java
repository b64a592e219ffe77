package dev.berth.core.commandfile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Typical command files. */
final class CommandFileExamples {

    static final List<String> NAMES =
            List.of(
                    "command_gpu.txt",
                    "command_gpus.txt",
                    "command_layout.txt",
                    "command_bk.txt",
                    "command_bk_example.txt",
                    "mixed.txt");

    private CommandFileExamples() {}

    static String text(String name) {
        try (var in = CommandFileExamples.class.getResourceAsStream("/lane/" + name)) {
            return new String(
                    Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
