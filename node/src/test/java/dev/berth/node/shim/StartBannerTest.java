package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.node.process.Marker;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

class StartBannerTest {

    private static final ShimProgram NATIVE = new ShimProgram(Path.of("/shim"), true);
    private static final ShimProgram BASH = new ShimProgram(Path.of("/bin/bash"), false);

    @Test
    void theNativeShimPrintsItIfItFindsWhatTheShellFinds() {
        var banner =
                new StartBanner(
                        CommandSettings.NONE,
                        Map.of("PATH", "/usr/bin:/bin/", "BASH_FUNC_module%%", "() { :; }"));

        assertThat(banner.isPrintedByShim(order(new TreeMap<>()), NATIVE)).isTrue();
        assertThat(banner.isPrintedByShim(order(new TreeMap<>()), BASH)).isFalse();
        assertThat(banner.isPrintedByShim(order(new TreeMap<>(Map.of("PATH", "/x"))), NATIVE))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BASH_ENV=/etc/profile",
                "BASH_FUNC_python%%=() { :; }",
                "BASH_FUNC_conda()=() { :; }",
                "PATH=/usr/bin:bin",
                "PATH=/usr/bin::/bin",
                "PATH=~/bin",
                "PATH=/a/.venv/bin:.venv/bin/",
                "POSIXLY_CORRECT=1",
                "SSH_CLIENT=10.0.0.1 50000 22",
                "PATH="
            })
    void theShellPrintsItIfItMayFindSomethingElse(String variable) {
        int end = variable.indexOf('=');
        var environment = Map.of(variable.substring(0, end), variable.substring(end + 1));
        var banner = new StartBanner(CommandSettings.NONE, environment);

        assertThat(banner.isPrintedByShim(order(new TreeMap<>()), NATIVE)).isFalse();
    }

    @Test
    void aLoginBySshChangesNothingInShellsOfOtherShells() {
        var environment = Map.of("SSH_CLIENT", "10.0.0.1 50000 22", "SHLVL", "1");
        var banner = new StartBanner(CommandSettings.NONE, environment);

        assertThat(banner.isPrintedByShim(order(new TreeMap<>()), NATIVE)).isTrue();
    }

    @Test
    void theShellPrintsItAfterTheInitScript() {
        var settings = new CommandSettings(List.of(), Optional.of(Path.of("/etc/init.sh")));
        var banner = new StartBanner(settings, Map.of("PATH", "/bin"));

        assertThat(banner.isPrintedByShim(order(new TreeMap<>()), NATIVE)).isFalse();
    }

    private static ShimParameters order(SortedMap<String, String> environment) {
        return new ShimParameters(
                new Marker("h", "1.1"),
                "true",
                Path.of("/"),
                environment,
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
