package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.access.Actor;
import dev.berth.core.access.CommandPolicy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The keys of {@code command_policy}. */
class CommandKeysTest {

    @TempDir private Path home;

    private Configuration load(String yaml) throws Exception {
        Files.createDirectories(home.resolve("config"));
        Files.writeString(home.resolve("config/berth.yaml"), yaml);
        return Configuration.load(ConfigSources.of(home));
    }

    @Test
    void everyCommandIsAllowedByDefault() throws Exception {
        assertThat(load("").commands()).isEqualTo(CommandPolicy.OPEN);
    }

    @Test
    void thePatternsAreReadFromTheFile() throws Exception {
        var policy =
                load("""
                command_policy:
                  allow:
                    - '^python '
                  deny: ['rm -rf']
                  message: Ask Ann.
                """)
                        .commands();
        assertThat(policy.refusal("python a.py")).isEmpty();
        assertThat(policy.refusal("python a.py; rm -rf x")).isPresent();
        assertThat(policy.refusal("ls")).isPresent();
        assertThat(policy.message()).contains("Ask Ann.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"['(']", "['']", "{a: b}"})
    void whatIsNoPatternIsRefusedByItsKey(String patterns) {
        assertThatThrownBy(() -> load("command_policy:\n  deny: " + patterns + "\n"))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("command_policy.deny");
    }

    @Test
    void thePatternsChangeWhileTheServerRuns() throws Exception {
        var book =
                new LiveConfiguration(
                        ConfigSources.of(home), load("port: 0\n"), _ -> {}, (_, _) -> {});
        book.changeRules(Actor.BERTH, Map.of("command_policy.allow", List.of("^a, b ")), true);
        assertThat(book.current().commands().refusal("a, b c")).isEmpty();
        assertThat(book.current().commands().refusal("ls")).isPresent();
        assertThat(Configuration.load(ConfigSources.of(home)).commands().refusal("ls")).isPresent();
    }
}
