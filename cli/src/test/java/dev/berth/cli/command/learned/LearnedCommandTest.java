package dev.berth.cli.command.learned;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class LearnedCommandTest {

    private static final String TWO_KINDS =
            """
            [{"fingerprint":"5f3c","name":"train","owner":"ann","command":"./train #","gpus":"2",
              "runs":14,"median_seconds":720.0,"p90_seconds":1140.0,"min_seconds":700.0,
              "max_seconds":1200.0,"peak_memory_mb":10240,"last_run":"2025-11-15T06:00:00Z"},
             {"fingerprint":"77aa","name":"eval","owner":"bob","command":null,"gpus":"0",
              "runs":0,"median_seconds":null,"p90_seconds":null,"min_seconds":null,
              "max_seconds":null,"peak_memory_mb":null,"last_run":"2025-11-15T05:00:00Z"}]
            """;

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void eachKindOfTaskIsALineWithItsRunTimesAndMemory() {
        fixture.server().on("GET /api/learned", TWO_KINDS);
        var lines = fixture.run("learned").out().lines().map(line -> line.replaceAll(" +", " "));
        assertThat(lines.map(String::strip))
                .containsExactly(
                        "ID NAME OWNER GPUS RUNS TAKES PEAK COMMAND",
                        "5f3c train ann 2 14 12m-19m 10240 MB ./train #",
                        "77aa eval bob 0 0");
    }

    @Test
    void withoutAnyRunItSaysSo() {
        fixture.server().on("GET /api/learned", "[]");
        assertThat(fixture.run("learned"))
                .isEqualTo(new Result(0, "Nothing is learned yet: no task has ended.\n", ""));
    }

    @Test
    void oneKindIsForgottenByItsId() {
        fixture.server().on("DELETE /api/learned/5f3c", "[]");
        assertThat(fixture.run("learned", "--forget", "5f3c").status()).isZero();
        assertThat(fixture.server().received()).hasSize(1);
    }

    @Test
    void forgettingOneAndAllIsAUsageError() {
        assertThat(fixture.run("learned", "--forget", "5f3c", "--forget-all").err())
                .contains("give --forget ID or --forget-all, not both");
        assertThat(fixture.server().received()).isEmpty();
    }
}
