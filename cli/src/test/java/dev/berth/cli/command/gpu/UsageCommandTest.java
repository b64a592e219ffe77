package dev.berth.cli.command.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class UsageCommandTest {

    private static final String NONE =
            """
            {"tasks":0,"completed":0,"failed":0,"cancelled":0,"gpu_hours":0.0}
            """;

    private static final String REPORT =
            """
            {"from":"2025-11-08T08:00:00.000000Z","to":"2025-11-15T08:00:00.000000Z","users":[
             {"user":"alice","tasks":12,"completed":9,"failed":2,"cancelled":0,"gpu_hours":103.25,
              "wait_mean_seconds":75.5,"wait_p95_seconds":7300.0,"utilization_mean":88.4,
              "memory_asked_mb":40960,"memory_peak_mb":36864,"memory_efficiency":0.9},
             {"user":"bob\\u001b","tasks":1,"completed":0,"failed":0,"cancelled":0,
              "gpu_hours":0.5,"wait_mean_seconds":2.0,"wait_p95_seconds":2.0,
              "utilization_mean":45.0,"memory_asked_mb":81920,"memory_peak_mb":8192,
              "memory_efficiency":0.1}],
             "total":{"user":null,"tasks":13,"completed":9,"failed":2,"cancelled":0,
              "gpu_hours":103.75,"wait_mean_seconds":69.8,"wait_p95_seconds":7300.0,
              "utilization_mean":null,"memory_asked_mb":null,"memory_peak_mb":null,
              "memory_efficiency":null}}
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
    void everyUserHasALineAndAllTogetherTheLast() {
        fixture.server().on("GET /api/usage?days=7", REPORT);
        assertThat(fixture.run("usage"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                USER   GPU-HOURS  TASKS  COMPLETED  FAILED  WAIT  WAIT P95  LOAD            MEMORY USED
                                alice      103.3     12          9       2    1m        2h  88 %  36.0 of 40.0 GB, 90 %
                                bob\\e        0.5      1                       2s        2s  45 %   8.0 of 80.0 GB, 10 %
                                total      103.8     13          9       2    1m        2h
                                """,
                                ""));
    }

    @Test
    void aBadUseIsRedAFairOneYellowAndAGoodOneGreen() {
        fixture.server().on("GET /api/usage?days=7", REPORT);
        fixture.setTerminal(true);
        assertThat(fixture.run("usage").out())
                .contains("\u001b[32m88 %\u001b[0m", "\u001b[33m45 %\u001b[0m")
                .contains("\u001b[31m8.0 of 80.0 GB, 10 %\u001b[0m");
    }

    @Test
    void whereNothingRanThatIsReported() {
        fixture.server().on("GET /api/usage?days=30", "{\"users\":[],\"total\":" + NONE + "}");
        fixture.server().on("GET /api/usage?days=1", "{\"users\":[],\"total\":" + NONE + "}");
        assertThat(fixture.run("usage", "--days", "30"))
                .isEqualTo(new Result(0, "Nothing ran in the last 30 days.\n", ""));
        assertThat(fixture.run("usage", "--days=1").out())
                .isEqualTo("Nothing ran in the last day.\n");
    }

    @Test
    void jsonIsTheUnchangedReply() {
        fixture.server().on("GET /api/usage?days=7", REPORT);
        assertThat(fixture.run("usage", "--json").out()).isEqualTo(REPORT.strip() + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "367", "week", "-1", ""})
    void daysAreANumber(String days) {
        var result = fixture.run("usage", "--days=" + days);
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("berth: --days needs a number from 1 to 366\n");
    }
}
