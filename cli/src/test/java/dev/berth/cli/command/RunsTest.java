package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.stage.RunJson;
import dev.berth.cli.stage.Stage;
import dev.berth.cli.stage.Stage.Result;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

class RunsTest {

    @TempDir private Path root;
    private Stage stage;

    @BeforeEach
    void open() {
        stage = new Stage(root);
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private static RunJson mixed() {
        return RunJson.run(3)
                .lane(
                        "1",
                        "busy",
                        RunJson.task(16, "completed"),
                        RunJson.with(RunJson.task(17, "running"), "gpus", List.of(0, 1)))
                .lane(
                        "2",
                        "backoff",
                        RunJson.with(
                                RunJson.with(
                                        RunJson.task(18, "pending"),
                                        "backoff_until",
                                        "2025-11-15T06:09:30Z"),
                                "retry_count",
                                3))
                .lane("10", "idle", RunJson.task(19, "pending"))
                .lane("11", "done", RunJson.task(20, "failed"), RunJson.task(21, "cancelled"));
    }

    @Test
    void aRunIsOneLineWithItsLanesBelow() {
        stage.server().on("GET /api/scheduler/running", RunJson.list(mixed()));
        assertThat(stage.run("runs"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                Run 3  running for 1m  1 of 6 completed, 1 running, 2 pending, 1 failed, 1 cancelled  single  command/command_gpu.txt
                                  lane 1   busy     1/2  task 17 on 0,1
                                  lane 2   backoff  0/1  task 18 rests before retry 3, 9m more
                                  lane 10  idle     0/1  task 19 waits
                                  lane 11  done     0/2
                                """,
                                ""));
    }

    @Test
    void whyNothingOfItCanStartIsSaid() {
        stage.server()
                .on(
                        "GET /api/scheduler/running",
                        RunJson.list(RunJson.run(1).with("reason", "no card has 200 GB\u0007")));
        assertThat(stage.run("runs").out())
                .endsWith("\n  nothing of it can start: no card has 200 GB\\u0007\n");
    }

    @Test
    void nothingThatRunsIsSaid() {
        stage.server().on("GET /api/scheduler/running", "[]");
        assertThat(stage.run("runs"))
                .isEqualTo(
                        new Result(
                                0,
                                "Nothing runs from a command file. Start one: berth run FILE\n",
                                ""));
        assertThat(stage.run("runs", "--json").out()).isEqualTo("[]\n");
    }

    @Test
    void allAreThoseOfBothModesInOrder() {
        stage.server()
                .on(
                        "GET /api/scheduler/single/state",
                        RunJson.list(RunJson.run(1).ended("finished"), RunJson.run(3)));
        stage.server()
                .on(
                        "GET /api/scheduler/multi/state",
                        RunJson.list(RunJson.run(2).with("mode", "multi").ended("stopped")));
        assertThat(stage.run("runs", "--all").out().lines())
                .containsExactly(
                        "Run 1  finished 10s ago  0 of 0 completed  single "
                                + " command/command_gpu.txt",
                        "Run 2  stopped 10s ago  0 of 0 completed  multi  command/command_gpu.txt",
                        "Run 3  running for 1m  0 of 0 completed  single  command/command_gpu.txt");
        assertThat(stage.run("runs", "-a", "--json").out())
                .startsWith("[{\"pid\":1,")
                .contains(",{\"pid\":2,", ",{\"pid\":3,");
    }

    @Test
    void aRunIsStoppedByItsNumber() {
        stage.server()
                .on(
                        "POST /api/scheduler/stop/3",
                        RunJson.run(3)
                                .with("status", "stopping")
                                .lane("1", "busy", RunJson.task(17, "running"))
                                .toString());
        assertThat(stage.run("runs", "stop", "3"))
                .isEqualTo(new Result(0, "run 3 stopping: 0 of 1 completed, 1 running\n", ""));
        assertThat(stage.run("runs", "stop", "3", "--json").out()).startsWith("{\"pid\":3,");
    }

    @Test
    void whatRunsMayBeLeftToItself() {
        stage.server()
                .on(
                        "POST /api/scheduler/stop/3?keep_running=true",
                        RunJson.run(3).ended("stopped").toString());
        assertThat(stage.run("runs", "stop", "3", "--keep-running"))
                .isEqualTo(new Result(0, "run 3 stopped: 0 of 0 completed\n", ""));
    }

    @Test
    void aRunThatIsOverIsNotStoppedAgain() {
        stage.server()
                .on(
                        "POST /api/scheduler/stop/3",
                        stage.server()
                                .json(
                                        409,
                                        "{\"detail\":\"Run 3 is not running.\","
                                                + "\"code\":\"run.not_running\"}"));
        assertThat(stage.run("runs", "stop", "3"))
                .isEqualTo(new Result(1, "", "berth: Run 3 is not running.\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stop",
                "stop 0",
                "stop -1",
                "stop x",
                "stop 1 2",
                "start 1",
                "stop 1 --all",
                "--keep-running",
                "stop 99999999999999999999"
            })
    void whatMakesNoSenseIsNotSent(String words) {
        Result result = stage.run(("runs " + words).split(" "));
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("\nUsage: berth runs [OPTIONS] [stop PID]\n");
        assertThat(stage.server().seen()).isEmpty();
    }

    @Test
    void anAnswerThatIsNoListIsRefused() {
        stage.server().on("GET /api/scheduler/running", "{}");
        assertThat(stage.run("runs"))
                .isEqualTo(new Result(1, "", "berth: the server sent no list of runs\n"));
    }
}
