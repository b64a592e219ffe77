package dev.berth.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

class CallContextTest {

    private static CallContext with(boolean terminal, Map<String, String> env) {
        return with(terminal, 0, env);
    }

    private static CallContext with(boolean terminal, int columns, Map<String, String> env) {
        return new CallContext(
                InputStream.nullInputStream(),
                System.out,
                System.err,
                env,
                Path.of("/"),
                terminal,
                () -> columns,
                CliClock.SYSTEM);
    }

    @Test
    void coloursAreForTerminalsThatWantThem() {
        assertThat(with(true, Map.of()).usesColours()).isTrue();
        assertThat(with(true, Map.of("NO_COLOR", "")).usesColours()).isTrue();
        assertThat(with(true, Map.of("NO_COLOR", "1")).usesColours()).isFalse();
        assertThat(with(true, Map.of("TERM", "dumb")).usesColours()).isFalse();
        assertThat(with(false, Map.of()).usesColours()).isFalse();
    }

    @Test
    void theWidthIsTheTerminalsOrTheConfiguredOne() {
        assertThat(with(true, Map.of("COLUMNS", "132")).width()).isEqualTo(132);
        assertThat(with(false, Map.of("COLUMNS", "132")).width()).isEqualTo(132);
        assertThat(with(true, Map.of()).width()).isEqualTo(80);
        assertThat(with(true, Map.of("COLUMNS", "wide")).width()).isEqualTo(80);
        assertThat(with(true, Map.of("COLUMNS", "-1")).width()).isEqualTo(80);
        assertThat(with(false, Map.of()).width()).isZero();
    }

    @Test
    void theTerminalKnowsItsWidthBetterThanAnOldVariable() {
        assertThat(with(true, 200, Map.of("COLUMNS", "80")).width()).isEqualTo(200);
        assertThat(with(true, 60, Map.of()).width()).isEqualTo(60);
        assertThat(with(false, 200, Map.of()).width()).as("a pipe has no width").isZero();
    }

    @Test
    void theLanguageFollowsTheLocale() {
        assertThat(with(true, Map.of()).language()).isEqualTo("en");
        assertThat(with(true, Map.of("LANG", "zh_CN.UTF-8")).language()).isEqualTo("zh-CN");
        assertThat(with(true, Map.of("LANG", "de_DE.UTF-8")).language()).isEqualTo("en");
        assertThat(with(true, Map.of("LC_ALL", "C.UTF-8", "LANG", "zh_CN.UTF-8")).language())
                .isEqualTo("en");
        assertThat(with(true, Map.of("LC_MESSAGES", "zh_TW", "LANG", "en_US")).language())
                .isEqualTo("zh-CN");
    }

    @Test
    void thisProcessHasAContext() {
        CallContext process = CallContext.ofProcess(StandardOutput.ofProcess(), () -> 0);
        assertThat(process.cwd()).isEqualTo(Path.of("").toAbsolutePath());
        assertThat(process.env()).isEqualTo(System.getenv());
        assertThat(process.isTerminal()).as("tests write to a pipe or a file").isFalse();
    }

    @Test
    void theVersionIsTheProjects() throws Exception {
        Path pom = Path.of(System.getProperty("berth.root"), "pom.xml");
        String project = Files.readString(pom);
        int start = project.indexOf("<revision>") + "<revision>".length();
        assertThat(project.substring(start, project.indexOf('<', start)))
                .isEqualTo(CliVersion.CURRENT);
    }
}
