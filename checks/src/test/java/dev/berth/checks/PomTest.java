package dev.berth.checks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

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

    /** The launcher rebuilds when a source of these modules has changed. */
    @Test
    void theLauncherKnowsEveryModuleOfTheProgram() throws IOException {
        var modules = new TreeSet<String>();
        var module = Pattern.compile("<module>([a-z]+)</module>");
        module.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .forEach(found -> modules.add(found.group(1)));
        // The console's sources are listed apart; the others are for tests only.
        modules.removeAll(List.of("console", "testkit", "testengine", "checks"));

        var launcher = Files.readString(ROOT.resolve("berth"));
        var listed = Pattern.compile("MODULES=\\(([a-z ]+)\\)").matcher(launcher);

        assertThat(listed.find()).isTrue();
        assertThat(listed.group(1).split(" ")).containsExactlyInAnyOrderElementsOf(modules);
    }
}
