package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Compiles fake libraries that answer like a driver's. */
final class FakeLibrary {

    private FakeLibrary() {}

    /**
     * @param source file beside this class
     * @param options for example {@code -DFAILS}
     */
    static Path compile(Path folder, String source, String... options)
            throws IOException, InterruptedException {
        var path = System.getenv().getOrDefault("PATH", "");
        assumeTrue(
                Stream.of(path.split(":")).anyMatch(dir -> Files.isExecutable(Path.of(dir, "gcc"))),
                "there is no gcc to make a library with");
        var file = folder.resolve(source);
        try (var text = FakeLibrary.class.getResourceAsStream(source)) {
            Files.write(file, text.readAllBytes());
        }
        var library = folder.resolve("lib" + source + String.join("", options) + ".so");
        var command = new ArrayList<>(List.of("gcc", "-shared", "-fPIC", "-O1"));
        command.addAll(List.of(options));
        command.addAll(List.of("-o", library.toString(), file.toString()));
        var gcc = new ProcessBuilder(command).inheritIO().start();
        assertThat(gcc.waitFor()).isZero();
        return library;
    }
}
