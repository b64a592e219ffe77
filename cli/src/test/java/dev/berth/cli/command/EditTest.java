package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.stage.Stage;
import dev.berth.cli.stage.Stage.Result;
import dev.berth.cli.stage.StubServer;
import dev.berth.cli.stage.TaskJson;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class EditTest {

    private static final String PATCH = "PATCH /api/tasks/7";

    @TempDir private Path root;
    private Stage stage;
    private StubServer server;

    @BeforeEach
    void open() {
        stage = new Stage(root);
        server = stage.server();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    /** The words after {@code edit 7}, and the body they send. */
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
                "-- python train.py | {\"command\":\"python train.py\"}",
                "--name x -- true | {\"name\":\"x\",\"command\":\"true\"}",
            })
    void onlyWhatIsGivenIsSent(String words, String body) {
        server.on(PATCH, TaskJson.detail(7).toString());
        assertThat(stage.run(("edit 7 " + words).split(" ")))
                .isEqualTo(new Result(0, "7 changed\n", ""));
        assertThat(server.seen().getLast().body()).isEqualTo(body);
    }

    @Test
    void aDirectoryIsMeantFromHere() {
        server.on(PATCH, TaskJson.detail(7).toString());
        stage.run("edit", "7", "--work-dir", "../data");
        assertThat(server.seen().getLast().body())
                .isEqualTo("{\"work_dir\":\"" + root.resolve("data") + "\"}");
    }

    @Test
    void severalAreChangedAlikeAndOneThatRunsDoesNotStopTheOthers() {
        server.on(PATCH, TaskJson.detail(7).toString());
        server.on(
                "PATCH /api/tasks/6",
                server.json(
                        409,
                        "{\"detail\":\"Task 6 is running and can no longer be changed.\","
                                + "\"code\":\"task.not_waiting\"}"));
        assertThat(stage.run("edit", "6", "7", "--priority", "low"))
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
        assertThat(stage.run("edit", "7", "--device", "9"))
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
        Result result = stage.run(("edit " + words).split(" "));
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("\nUsage: berth edit [OPTIONS] ID… [-- COMMAND…]\n");
        assertThat(server.seen()).isEmpty();
    }

    @Test
    void whoSaysNothingIsAskedWhat() {
        assertThat(stage.run("edit", "7").err())
                .startsWith("berth: what is to be changed? Say it as for `berth submit`\n");
    }

    @Test
    void aChangeWhoseAnswerIsLostIsNotRepeated() {
        server.on(PATCH, server.hangUp());
        assertThat(stage.run("edit", "7", "--gpus", "1").err())
                .endsWith("whether it did what was asked is not known: look with `berth ls`\n");
        assertThat(server.seen()).hasSize(1);
    }

    @Test
    void jsonIsTheTaskAsItIsNow() {
        server.on(PATCH, TaskJson.detail(7).toString());
        assertThat(stage.run("edit", "7", "--gpus", "2", "--json").out())
                .isEqualTo(TaskJson.detail(7) + "\n");
    }
}
