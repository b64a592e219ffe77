package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.stage.Stage;
import dev.berth.cli.stage.Stage.Result;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class CleanupTest {

    private static final String LEFT =
            """
            {"records":[{"uni_id":"u16","pid":4711,"state":"running"}],\
            "processes":[{"pid":4712,"program":"python\\u0007","task_id":16,"attempt":2,\
            "since":"2025-11-15T05:00:00Z"}]}\
            """;

    private static final String LISTED =
            """
            left behind: record u16 (running, pid 4711)
            left behind: process 4712 python\\u0007, task 16 attempt 2, for 1h
            """;

    @TempDir private Path root;
    private Stage stage;

    @BeforeEach
    void open() {
        stage = new Stage(root);
        stage.server().on("GET /api/cleanup", LEFT);
        stage.server().on("POST /api/cleanup", LEFT);
    }

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void nothingThatIsLeftIsSaid() {
        stage.server().close();
        stage = new Stage(root);
        stage.server().on("GET /api/cleanup", "{\"records\":[],\"processes\":[]}");
        assertThat(stage.run("cleanup")).isEqualTo(new Result(0, "Nothing is left behind.\n", ""));
        assertThat(stage.run("cleanup", "--yes").status()).isZero();
        assertThat(stage.server().lines()).containsOnly("GET /api/cleanup");
    }

    @Test
    void withoutATerminalItIsOnlyShown() {
        assertThat(stage.run("cleanup"))
                .isEqualTo(new Result(1, LISTED, "berth: nothing was removed: --yes removes it\n"));
        assertThat(stage.server().lines()).containsExactly("GET /api/cleanup");
    }

    @Test
    void withYesItIsRemovedAtOnce() {
        assertThat(stage.run("cleanup", "--yes"))
                .isEqualTo(new Result(0, LISTED.replace("left behind", "removed"), ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"y\n", "YES\n", " yes"})
    void onATerminalItIsRemovedWhenSomebodyAgrees(String answer) {
        stage.terminal(true);
        stage.input(answer);
        Result result = stage.run("cleanup");
        assertThat(result.status()).isZero();
        assertThat(result.out())
                .isEqualTo(
                        LISTED
                                + "Remove these records and end these processes? [y/N] "
                                + LISTED.replace("left behind", "removed"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"n\n", "\n", "", "yesterday\n"})
    void anythingElseLeavesItAsItIs(String answer) {
        stage.terminal(true);
        stage.input(answer);
        Result result = stage.run("cleanup");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).isEqualTo("berth: nothing was removed\n");
        assertThat(stage.server().lines()).containsExactly("GET /api/cleanup");
    }

    @Test
    void aProgramGetsTheListAndRemovesOnlyWithYes() {
        assertThat(stage.run("cleanup", "--json")).isEqualTo(new Result(0, LEFT + "\n", ""));
        assertThat(stage.server().lines()).containsExactly("GET /api/cleanup");
        assertThat(stage.run("cleanup", "--json", "--yes"))
                .isEqualTo(new Result(0, LEFT + "\n", ""));
        assertThat(stage.server().lines()).endsWith("POST /api/cleanup");
    }

    @Test
    void whatTheServerDidNotFindAgainIsNotSaidToBeRemoved() {
        stage.server().close();
        stage = new Stage(root);
        stage.server().on("GET /api/cleanup", LEFT);
        stage.server().on("POST /api/cleanup", "{}");
        assertThat(stage.run("cleanup", "-y").out())
                .isEqualTo("Nothing is left behind any more.\n");
    }

    @Test
    void aWordIsNotUnderstood() {
        assertThat(stage.run("cleanup", "all").status()).isEqualTo(2);
    }
}
