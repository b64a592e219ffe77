package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The launcher with a JVM that reports the variables of its locale. */
final class LauncherLocaleTest {

    private static final String MISSING = "xx_XX.UTF-8";

    @TempDir private Path directory;

    @BeforeEach
    void install() throws IOException {
        install(directory);
    }

    private static void install(Path program) throws IOException {
        var root = Path.of(System.getProperty("berth.root", ".."));
        Files.copy(root.resolve("ops/package/berth"), program.resolve("berth"));
        Files.createDirectories(program.resolve("lib"));
        Files.createFile(program.resolve("lib/berth.jar"));
        Files.createDirectories(program.resolve("runtime/bin"));
        var java = program.resolve("runtime/bin/java");
        Files.writeString(java, "#!/bin/sh\nenv | grep -E '^(LANG|LC_|BERTH_CALLER_)'\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void aLocaleOfAsciiGetsTheEncodingOfNames() throws Exception {
        assertThat(localeOf(Map.of("LANG", "C")))
                .containsEntry("LC_CTYPE", "C.UTF-8")
                .containsEntry("BERTH_CALLER_LC_CTYPE", "")
                .doesNotContainKey("LC_ALL");
        assertThat(localeOf(Map.of("LC_ALL", "POSIX")))
                .containsEntry("LC_ALL", "C.UTF-8")
                .containsEntry("BERTH_CALLER_LC_ALL", "POSIX");
    }

    /** With one of them, the JVM would be in the C locale. */
    @Test
    void aLocaleThatIsNotInstalledIsReplaced() throws Exception {
        for (var missing :
                List.<Map<String, String>>of(
                        Map.of("LANG", MISSING),
                        Map.of("LC_ALL", MISSING),
                        Map.of("LC_CTYPE", "UTF-8"),
                        Map.of("LANG", "C.UTF-8", "LC_TIME", MISSING))) {
            assertThat(localeOf(missing))
                    .containsEntry("LC_ALL", "C.UTF-8")
                    .containsEntry("BERTH_CALLER_LC_ALL", missing.getOrDefault("LC_ALL", ""));
        }
    }

    @Test
    void aLocaleThatCanBeUsedStays() throws Exception {
        for (var usable :
                List.<Map<String, String>>of(
                        Map.of("LANG", "C.UTF-8"),
                        Map.of("LC_ALL", "C.UTF-8", "LANG", MISSING),
                        Map.of("LANG", "C.UTF-8", "LC_TIME", "C"),
                        Map.of("LANG", "xx_XX.ISO-8859-1"))) {
            assertThat(localeOf(usable)).isEqualTo(usable);
        }
    }

    @Test
    void anOptionOfTheCallersShellDoesNotHideTheJars() throws Exception {
        assertThat(localeOf(Map.of("LANG", "C.UTF-8", "SHELLOPTS", "noglob")))
                .containsEntry("LANG", "C.UTF-8");
    }

    @Test
    void aCurrentDirectoryThatWasRemovedIsNamed() throws Exception {
        var script = "mkdir gone && cd gone && rmdir ../gone && exec bash \"$0\" ls";
        var program = directory.resolve("berth").toString();
        var launcher =
                new ProcessBuilder("/bin/bash", "-c", script, program)
                        .directory(directory.toFile())
                        .start();
        assertThat(new String(launcher.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("berth: the current directory was removed");
        assertThat(launcher.waitFor()).isEqualTo(1);
    }

    @Test
    void aDirectoryThatJavaCannotUseIsNamed() throws Exception {
        var program = Files.createDirectory(directory.resolve("a:b"));
        install(program);
        var launcher = new ProcessBuilder(program.resolve("berth").toString(), "ls").start();
        assertThat(new String(launcher.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .startsWith("berth: ")
                .contains("colon")
                .contains(program.toString());
        assertThat(launcher.waitFor()).isEqualTo(1);
    }

    private Map<String, String> localeOf(Map<String, String> variables) throws Exception {
        var launcher = new ProcessBuilder("/bin/bash", directory.resolve("berth").toString(), "ls");
        launcher.environment().clear();
        launcher.environment().put("PATH", "/usr/bin:/bin");
        launcher.environment().putAll(variables);
        launcher.redirectError(ProcessBuilder.Redirect.DISCARD);
        var process = launcher.start();
        Map<String, String> locale;
        try (var lines = process.inputReader().lines()) {
            locale =
                    lines.map(line -> line.split("=", 2))
                            .collect(
                                    Collectors.toMap(
                                            pair -> pair[0],
                                            pair -> pair[1],
                                            (first, _) -> first,
                                            TreeMap::new));
        }
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        return locale;
    }
}
