package dev.berth.core.lane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Command files as people have them. */
final class Examples {

    static final List<String> NAMES =
            List.of(
                    "command_gpu.txt",
                    "command_gpus.txt",
                    "command_layout.txt",
                    "command_bk.txt",
                    "command_bk_example.txt",
                    "mixed.txt");

    private Examples() {}

    static String text(String name) {
        try (var in = Examples.class.getResourceAsStream("/lane/" + name)) {
            return new String(
                    Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
