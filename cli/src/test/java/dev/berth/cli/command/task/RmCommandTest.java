package dev.berth.cli.command.task;

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

class RmCommandTest {

    private static final String MANY = "DELETE /api/tasks?status=failed&older_than=2592000";
    private static final String COUNT = MANY + "&dry_run=true";

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
    void removesEachGivenTask() {
        fixture.server().on("DELETE /api/tasks/7", "{\"removed\":1,\"remaining\":0}");
        fixture.server().on("DELETE /api/tasks/8", "{\"removed\":1,\"remaining\":0}");

        assertThat(fixture.run("rm", "7", "8"))
                .isEqualTo(new Result(0, "7 removed\n8 removed\n", ""));
    }

    @Test
    void aDryRunOnlyCounts() {
        count(3);

        assertThat(fixture.run("rm", "--status", "failed", "--older-than", "30d", "--dry-run"))
                .isEqualTo(new Result(0, "3 tasks match\n", ""));
        assertThat(fixture.server().requestLines()).containsExactly(COUNT);
    }

    @Test
    void withoutATerminalNothingIsRemovedUnlessYesIsGiven() {
        count(3);

        assertThat(fixture.run("rm", "--status", "failed", "--older-than", "30d"))
                .isEqualTo(
                        new Result(1, "", "berth: nothing was removed: --yes removes 3 tasks\n"));

        fixture.server().on(MANY, "{\"removed\":3,\"remaining\":0}");
        assertThat(fixture.run("rm", "--status", "failed", "--older-than", "30d", "--yes"))
                .isEqualTo(new Result(0, "3 tasks removed\n", ""));
    }

    @Test
    void onATerminalItAsks() {
        fixture.setTerminal(true);
        fixture.setInput("n\n");
        count(1);

        var refused = fixture.run("rm", "--status", "failed", "--older-than", "30d");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.out()).isEqualTo("Remove 1 task, logs included? [y/N] ");
        assertThat(fixture.server().requestLines()).containsExactly(COUNT);
    }

    @Test
    void nameAndOwnerAreEncoded() {
        fixture.server()
                .on(
                        "DELETE /api/tasks?status=ended&name=a%26b-*&owner=bob&dry_run=true",
                        "{\"removed\":0,\"remaining\":0}");

        assertThat(fixture.run("rm", "--name", "a&b-*", "--owner", "bob"))
                .isEqualTo(new Result(0, "0 tasks match\n", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--older-than soon", "7 --status failed", "x", "--dry-run"})
    void otherCallsAreRefused(String arguments) {
        var words = ("rm " + arguments).strip().split(" ", -1);

        assertThat(fixture.run(words).status()).isEqualTo(2);
        assertThat(fixture.server().requestLines()).isEmpty();
    }

    private void count(int tasks) {
        fixture.server().on(COUNT, "{\"removed\":0,\"remaining\":" + tasks + "}");
    }
}
