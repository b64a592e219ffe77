package dev.berth.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

class SurroundingsTest {

    private static Surroundings with(boolean terminal, Map<String, String> env) {
        return new Surroundings(
                InputStream.nullInputStream(),
                System.out,
                System.err,
                env,
                Path.of("/"),
                terminal,
                Time.SYSTEM);
    }

    @Test
    void coloursAreForTerminalsThatWantThem() {
        assertThat(with(true, Map.of()).colours()).isTrue();
        assertThat(with(true, Map.of("NO_COLOR", "")).colours()).isTrue();
        assertThat(with(true, Map.of("NO_COLOR", "1")).colours()).isFalse();
        assertThat(with(true, Map.of("TERM", "dumb")).colours()).isFalse();
        assertThat(with(false, Map.of()).colours()).isFalse();
    }

    @Test
    void theWidthIsTheTerminalsOrWhatIsSaid() {
        assertThat(with(true, Map.of("COLUMNS", "132")).width()).isEqualTo(132);
        assertThat(with(false, Map.of("COLUMNS", "132")).width()).isEqualTo(132);
        assertThat(with(true, Map.of()).width()).isEqualTo(80);
        assertThat(with(true, Map.of("COLUMNS", "wide")).width()).isEqualTo(80);
        assertThat(with(true, Map.of("COLUMNS", "-1")).width()).isEqualTo(80);
        assertThat(with(false, Map.of()).width()).isZero();
    }

    @Test
    void thisProcessHasSurroundings() {
        Surroundings process = Surroundings.ofProcess();
        assertThat(process.cwd()).isEqualTo(Path.of("").toAbsolutePath());
        assertThat(process.env()).isEqualTo(System.getenv());
        assertThat(process.terminal()).as("tests write to a pipe or a file").isFalse();
    }

    @Test
    void theVersionIsTheProjects() throws Exception {
        Path pom = Path.of(System.getProperty("berth.root"), "pom.xml");
        String project = Files.readString(pom);
        int at = project.indexOf("<artifactId>berth</artifactId>");
        int start = project.indexOf("<version>", at) + "<version>".length();
        assertThat(project.substring(start, project.indexOf('<', start)))
                .isEqualTo(CliVersion.CURRENT);
    }
}
