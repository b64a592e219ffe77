package dev.berth.cli.command.server;

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

class CleanupCommandTest {

    private static final String LEFT =
            """
            {"records":[{"uni_id":"u16","pid":4711,"state":"running"}],\
            "processes":[{"pid":4712,"program":"python\\u0007","task_id":16,"attempt":2,\
            "since":"2025-11-15T05:00:00Z"}]}\
            """;

    private static final String LISTED =
            """
            left over: record u16 (running, pid 4711)
            left over: process 4712 python\\u0007, task 16 attempt 2, for 1h
            """;

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        fixture.server().on("GET /api/cleanup", LEFT);
        fixture.server().on("POST /api/cleanup", LEFT);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void theAbsenceOfLeftoversIsReported() {
        fixture.server().close();
        fixture = new CliFixture(root);
        fixture.server().on("GET /api/cleanup", "{\"records\":[],\"processes\":[]}");
        assertThat(fixture.run("cleanup")).isEqualTo(new Result(0, "Nothing is left over.\n", ""));
        assertThat(fixture.run("cleanup", "--yes").status()).isZero();
        assertThat(fixture.server().requestLines()).containsOnly("GET /api/cleanup");
    }

    @Test
    void withoutATerminalItIsOnlyShown() {
        assertThat(fixture.run("cleanup"))
                .isEqualTo(new Result(1, LISTED, "berth: nothing was removed: --yes removes it\n"));
        assertThat(fixture.server().requestLines()).containsExactly("GET /api/cleanup");
    }

    @Test
    void withYesItIsRemovedAtOnce() {
        assertThat(fixture.run("cleanup", "--yes"))
                .isEqualTo(new Result(0, LISTED.replace("left over", "removed"), ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"y\n", "YES\n", " yes"})
    void onATerminalItIsRemovedWhenSomebodyAgrees(String answer) {
        fixture.setTerminal(true);
        fixture.setInput(answer);
        Result result = fixture.run("cleanup");
        assertThat(result.status()).isZero();
        assertThat(result.out())
                .isEqualTo(
                        LISTED
                                + "Remove these records and end these processes? [y/N] "
                                + LISTED.replace("left over", "removed"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"n\n", "\n", "", "yesterday\n"})
    void anythingElseLeavesItAsItIs(String answer) {
        fixture.setTerminal(true);
        fixture.setInput(answer);
        Result result = fixture.run("cleanup");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).isEqualTo("berth: nothing was removed\n");
        assertThat(fixture.server().requestLines()).containsExactly("GET /api/cleanup");
    }

    @Test
    void aProgramGetsTheListAndRemovesOnlyWithYes() {
        assertThat(fixture.run("cleanup", "--json")).isEqualTo(new Result(0, LEFT + "\n", ""));
        assertThat(fixture.server().requestLines()).containsExactly("GET /api/cleanup");
        assertThat(fixture.run("cleanup", "--json", "--yes"))
                .isEqualTo(new Result(0, LEFT + "\n", ""));
        assertThat(fixture.server().requestLines()).endsWith("POST /api/cleanup");
    }

    @Test
    void whatTheServerDidNotFindAgainIsNotReportedToBeRemoved() {
        fixture.server().close();
        fixture = new CliFixture(root);
        fixture.server().on("GET /api/cleanup", LEFT);
        fixture.server().on("POST /api/cleanup", "{}");
        assertThat(fixture.run("cleanup", "-y").out()).isEqualTo("Nothing is left over.\n");
    }

    @Test
    void aWordIsAUsageError() {
        assertThat(fixture.run("cleanup", "all").status()).isEqualTo(2);
    }
}
