package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleTaskJson;
import dev.berth.cli.fixture.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class EditCommandTest {

    private static final String PATCH = "PATCH /api/tasks/7";

    @TempDir private Path root;
    private CliFixture fixture;
    private StubServer server;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        server = fixture.server();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** The arguments after {@code edit 7}, and the body they produce. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "--gpus 2 | {\"gpu_count\":2}",
                "--gpus 2-4 | {\"min_gpu\":2,\"max_gpu\":4}",
                "--device 0,1 | {\"devices\":\"0,1\"}",
                "--device auto | {\"devices\":\"auto\"}",
                "--memory 20G | {\"memory_gb\":20.0}",
                "--memory none | {\"memory_gb\":null}",
                "--share | {\"share\":true}",
                "--no-share | {\"share\":false}",
                "--type A100 | {\"gpu_type\":\"A100\"}",
                "--type any | {\"gpu_type\":null}",
                "--time 90m | {\"timeout_seconds\":5400}",
                "--time none | {\"timeout_seconds\":null}",
                "--priority high | {\"priority\":\"HIGH\"}",
                "--model mace | {\"model_name\":\"mace\"}",
                "--model none --task-type none --atoms none |"
                        + " {\"model_name\":null,\"task_type\":null,\"structure_n_atoms\":null}",
                "--name x | {\"name\":\"x\"}",
                "--work-dir /data | {\"work_dir\":\"/data\"}",
                "--env A=1 | {\"env\":{\"A\":\"1\"}}",
                "--param n=1 --param m=x | {\"params\":{\"n\":1,\"m\":\"x\"}}",
                "-- python train.py | {\"command\":\"python train.py\"}",
                "--name x -- true | {\"name\":\"x\",\"command\":\"true\"}",
            })
    void onlyWhatIsGivenIsSent(String words, String body) {
        server.on(PATCH, SampleTaskJson.detail(7).toString());
        assertThat(fixture.run(("edit 7 " + words).split(" ")))
                .isEqualTo(new Result(0, "7 changed\n", ""));
        assertThat(server.received().getLast().body()).isEqualTo(body);
    }

    @Test
    void aDirectoryIsMeantFromHere() {
        server.on(PATCH, SampleTaskJson.detail(7).toString());
        fixture.run("edit", "7", "--work-dir", "../data");
        assertThat(server.received().getLast().body())
                .isEqualTo("{\"work_dir\":\"" + root.resolve("data") + "\"}");
    }

    @Test
    void severalAreChangedAlikeAndOneThatRunsDoesNotStopTheOthers() {
        server.on(PATCH, SampleTaskJson.detail(7).toString());
        server.on(
                "PATCH /api/tasks/6",
                server.json(
                        409,
                        "{\"detail\":\"Task 6 is running and can no longer be changed.\","
                                + "\"code\":\"task.not_waiting\"}"));
        assertThat(fixture.run("edit", "6", "7", "--priority", "low"))
                .isEqualTo(
                        new Result(
                                1,
                                "7 changed\n",
                                "berth: Task 6 is running and can no longer be changed.\n"));
    }

    @Test
    void whatTheServerDoesNotTakeIsPrinted() {
        server.on(
                PATCH,
                server.json(422, "{\"detail\":\"No card has number 9.\",\"field\":\"devices\"}"));
        assertThat(fixture.run("edit", "7", "--device", "9"))
                .isEqualTo(new Result(1, "", "berth: task 7: No card has number 9. (devices)\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7",
                "7 --",
                "--gpus 2",
                "x --gpus 2",
                "0 --gpus 2",
                "7 --gpus 4-2",
                "7 --gpus 0",
                "7 --time soon",
                "7 --memory some",
                "7 --atoms -1",
                "7 --share --no-share",
                "7 --draft",
                "7 --retries 2",
                "7 --lane x",
                "7 --gpus none",
            })
    void whatCannotBeReadIsNotUnderstood(String words) {
        Result result = fixture.run(("edit " + words).split(" "));
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("\nUsage: berth edit [OPTIONS] ID… [-- COMMAND…]\n");
        assertThat(server.received()).isEmpty();
    }

    @Test
    void aCallWithoutChangesIsAUsageError() {
        assertThat(fixture.run("edit", "7").err())
                .startsWith("berth: give at least one option of `berth submit` to change\n");
    }

    @Test
    void aChangeWhoseAnswerIsLostIsNotRepeated() {
        server.on(PATCH, server.closeWithoutReply());
        assertThat(fixture.run("edit", "7", "--gpus", "1").err())
                .endsWith(
                        "the request may or may not have been carried out: check with `berth"
                                + " ls`\n");
        assertThat(server.received()).hasSize(1);
    }

    @Test
    void jsonIsTheTaskAsItIsNow() {
        server.on(PATCH, SampleTaskJson.detail(7).toString());
        assertThat(fixture.run("edit", "7", "--gpus", "2", "--json").out())
                .isEqualTo(SampleTaskJson.detail(7) + "\n");
    }
}
