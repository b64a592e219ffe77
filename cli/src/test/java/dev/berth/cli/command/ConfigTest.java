package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.stage.Stage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class ConfigTest {

    @TempDir Path root;

    private Stage stage;

    @BeforeEach
    void open() {
        stage = new Stage(root);
        stage.server()
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
        stage.close();
    }

    @Test
    void aKeyIsReadByItsDottedNameOrItsLastPart() {
        assertThat(stage.run("config", "get", "retry_config.max_retry_before_backoff").out())
                .isEqualTo("3\n");
        assertThat(stage.run("config", "get", "gpu_ids").out()).isEqualTo("[0,1]\n");
    }

    @Test
    void anAbsentKeyGivesTheDefaultOrFails() {
        assertThat(stage.run("config", "get", "nothing.here", "5").out()).isEqualTo("5\n");
        assertThat(stage.run("config", "get", "tmux_path", "tmux").out()).isEqualTo("tmux\n");
        var absent = stage.run("config", "get", "nothing.here");
        assertThat(absent.status()).isEqualTo(1);
        assertThat(absent.err()).contains("nothing.here");
    }

    @Test
    void withoutAKeyAllAreListedWithTheirSources() {
        var all = stage.run("config").out();

        assertThat(all)
                .contains("scheduler.gpu_ids")
                .contains("config/berth.yaml:2")
                .contains("retries at once (no effect yet)");
    }

    @Test
    void otherWordsAreNotUnderstood() {
        assertThat(stage.run("config", "set", "a", "b").status()).isEqualTo(2);
        assertThat(stage.run("config", "get").status()).isEqualTo(2);
    }
}
