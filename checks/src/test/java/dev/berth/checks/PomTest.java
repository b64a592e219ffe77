package dev.berth.checks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

final class PomTest {

    private static final Path ROOT = Path.of(System.getProperty("berth.root", ".."));

    /** {@code ./berth} builds without tests, so that no test jar exists then. */
    @Test
    void noModuleDependsOnATestJar() throws IOException {
        try (var modules = Files.list(ROOT)) {
            for (var pom : modules.map(module -> module.resolve("pom.xml")).toList()) {
                if (Files.exists(pom)) {
                    assertThat(Files.readString(pom)).as(pom.toString()).doesNotContain("test-jar");
                }
            }
        }
    }
}
