package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleTaskJson;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class CancelMatchingTest {

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        fixture.server()
                .on(
                        "GET /api/me",
                        "{\"name\":\"ada\",\"principal\":\"unix:ada\",\"admin\":true,"
                                + "\"role\":\"admin\",\"via\":\"socket\"}");
        list("pending");
        list(
                "queued",
                task(9, "sweep-2", "ada"),
                task(8, "eval", "ada"),
                task(7, "sweep-1", "bob"));
        list("running", task(5, "sweep-0", "ada"));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void waitingTasksAreCancelledBeforeRunningOnes() {
        accept(9);
        accept(5);

        assertThat(fixture.run("cancel", "--name", "sweep-?", "--yes"))
                .isEqualTo(new Result(0, "2 tasks cancelled\n", ""));
        assertThat(fixture.server().requestLines())
                .endsWith("POST /api/tasks/9/cancel", "POST /api/tasks/5/cancel");
    }

    @Test
    void tasksOfOthersAreCancelledOnlyIfTheirOwnerIsNamed() {
        accept(7);

        assertThat(fixture.run("cancel", "--owner", "bob", "--yes").out())
                .isEqualTo("1 task cancelled\n");
        assertThat(fixture.run("cancel", "--status", "queued", "--dry-run").out())
                .isEqualTo("2 tasks match\n");
    }

    @Test
    void withoutATerminalNothingIsCancelledUnlessYesIsGiven() {
        assertThat(fixture.run("cancel", "--status", "queued"))
                .isEqualTo(
                        new Result(1, "", "berth: nothing was cancelled: --yes cancels 2 tasks\n"));
    }

    @Test
    void onATerminalItAsks() {
        fixture.setTerminal(true);
        fixture.setInput("n\n");

        Result refused = fixture.run("cancel", "--status", "running");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.out()).isEqualTo("Cancel 1 task? [y/N] ");
        assertThat(fixture.server().requestLines()).noneMatch(line -> line.startsWith("POST"));
    }

    @Test
    void aTaskThatEndedMeanwhileIsNoFailure() {
        refuse(9, 409);
        accept(8);

        assertThat(fixture.run("cancel", "--status", "queued", "--yes", "--json"))
                .isEqualTo(new Result(0, "{\"cancelled\":1}\n", ""));
    }

    @Test
    void anotherRefusalEndsIt() {
        accept(9);
        refuse(8, 503);

        assertThat(fixture.run("cancel", "--status", "queued", "--yes"))
                .isEqualTo(new Result(1, "", "berth: after 1 task: No.\n"));
    }

    @Test
    void itWaitsForAllOfThemIfAsked() {
        accept(5);
        fixture.server()
                .on(
                        "GET /api/tasks/5/wait?seconds=30",
                        SampleTaskJson.detail(5).ended("cancelled", null).toString());

        assertThat(fixture.run("cancel", "--status", "running", "--wait", "--yes").status())
                .isZero();
        assertThat(fixture.server().requestLines()).endsWith("GET /api/tasks/5/wait?seconds=30");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7 --status queued", "--dry-run", "--yes 7", "--status completed"})
    void aFilterThatMeansNothingIsAUsageError(String words) {
        assertThat(fixture.run(("cancel " + words).split(" ")).status()).isEqualTo(2);
    }

    private static SampleTaskJson task(long id, String name, String owner) {
        return SampleTaskJson.summary(id).with("name", name).with("owner", owner);
    }

    private void list(String status, SampleTaskJson... tasks) {
        fixture.server()
                .on(
                        "GET /api/tasks?limit=1000&before=9223372036854775807&status=" + status,
                        SampleTaskJson.list(tasks));
    }

    private void accept(long id) {
        fixture.server()
                .on(
                        "POST /api/tasks/" + id + "/cancel",
                        SampleTaskJson.detail(id).ended("cancelled", null).toString());
    }

    private void refuse(long id, int status) {
        fixture.server()
                .on(
                        "POST /api/tasks/" + id + "/cancel",
                        fixture.server().json(status, "{\"detail\":\"No.\",\"code\":\"x\"}"));
    }
}
