package dev.berth.cli.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class ConfigCommandTest {

    @TempDir Path root;

    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        fixture.server()
                .on(
                        "GET /api/config",
                        """
                        [{"key":"retry_config.max_retry_before_backoff","value":3,"default_value":3,
                          "source":"default","in_force":false,"about":"retries at once"},
                         {"key":"scheduler.gpu_ids","value":[0,1],"default_value":null,
                          "source":"config/berth.yaml:2","in_force":true,"about":"the pool"},
                         {"key":"tmux_path","value":null,"default_value":null,
                          "source":"default","in_force":true,"about":"tmux"}]
                        """);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aKeyIsReadByItsDottedNameOrItsLastPart() {
        assertThat(fixture.run("config", "get", "retry_config.max_retry_before_backoff").out())
                .isEqualTo("3\n");
        assertThat(fixture.run("config", "get", "gpu_ids").out()).isEqualTo("[0,1]\n");
    }

    @Test
    void anAbsentKeyGivesTheDefaultOrFails() {
        assertThat(fixture.run("config", "get", "nothing.here", "5").out()).isEqualTo("5\n");
        assertThat(fixture.run("config", "get", "tmux_path", "tmux").out()).isEqualTo("tmux\n");
        var absent = fixture.run("config", "get", "nothing.here");
        assertThat(absent.status()).isEqualTo(1);
        assertThat(absent.err()).contains("nothing.here");
    }

    @Test
    void withoutAKeyAllAreListedWithTheirSources() {
        var all = fixture.run("config").out();

        assertThat(all)
                .contains("scheduler.gpu_ids")
                .contains("config/berth.yaml:2")
                .contains("retries at once (no effect yet)");
    }

    @Test
    void otherWordsAreUsageErrors() {
        assertThat(fixture.run("config", "set", "a", "b").status()).isEqualTo(2);
        assertThat(fixture.run("config", "get").status()).isEqualTo(2);
    }
}
