package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

final class ManualCommandTest {

    @TempDir private Path root;

    @BeforeEach
    void writeTheManual() {
        try (var fixture = new CliFixture(root)) {
            var result = fixture.run("manual", root.resolve("share").toString());
            assertThat(result.status()).as(result.err()).isZero();
        }
    }

    @Test
    void thePageOfTheProgramListsTheCommands() throws IOException {
        assertThat(page("berth.1")).startsWith(".TH BERTH 1 ").contains("\\fBsubmit\\fR", "ls");
    }

    @Test
    void thePageOfACommandDescribesItsOptions() throws IOException {
        assertThat(page("berth-submit.1"))
                .contains("berth\\-submit \\- ", "\\fB\\-\\-name\\fR", "\\fB\\-\\-home\\fR");
    }

    @Test
    void bashCompletesCommandsAndOptions() throws Exception {
        assertThat(completed("berth", "subm")).isEqualTo("submit");
        assertThat(completed("berth", "ls", "--js")).isEqualTo("--json");
        assertThat(completed("berth", "--home", "x", "ls", "--js")).isEqualTo("--json");
        assertThat(completed("berth", "logs", "fil")).isEmpty();
    }

    @Test
    void zshAndFishKnowTheOptions() throws IOException {
        assertThat(Files.readString(root.resolve("share/zsh/vendor-completions/_berth")))
                .startsWith("#compdef berth")
                .contains("'--json:");
        assertThat(Files.readString(root.resolve("share/fish/vendor_completions.d/berth.fish")))
                .contains(
                        "'__fish_seen_subcommand_from ls' -l json",
                        "'__fish_seen_subcommand_from ls' -s n -r",
                        "'__fish_seen_subcommand_from ls' -l help -s h");
    }

    private String page(String name) throws IOException {
        return Files.readString(root.resolve("share/man/man1").resolve(name));
    }

    /** What bash offers for the last word. */
    private String completed(String... words) throws IOException, InterruptedException {
        var script =
                """
                source "$1"; shift
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
                _berth
                echo "${COMPREPLY[*]}"
                """;
        var command = new ArrayList<>(List.of("bash", "-c", script, "test"));
        command.add(root.resolve("share/bash-completion/completions/berth").toString());
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return text.strip();
    }
}
