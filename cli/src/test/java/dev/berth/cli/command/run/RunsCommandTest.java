package dev.berth.cli.command.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleRunJson;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

class RunsCommandTest {

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

    private static SampleRunJson mixed() {
        return SampleRunJson.run(3)
                .lane(
                        "1",
                        "busy",
                        SampleRunJson.task(16, "completed"),
                        SampleRunJson.with(
                                SampleRunJson.task(17, "running"), "gpus", List.of(0, 1)))
                .lane(
                        "2",
                        "backoff",
                        SampleRunJson.with(
                                SampleRunJson.with(
                                        SampleRunJson.task(18, "pending"),
                                        "backoff_until",
                                        "2025-11-15T06:09:30Z"),
                                "retry_count",
                                3))
                .lane("10", "idle", SampleRunJson.task(19, "pending"))
                .lane(
                        "11",
                        "done",
                        SampleRunJson.task(20, "failed"),
                        SampleRunJson.task(21, "cancelled"));
    }

    @Test
    void aRunIsOneLineWithItsLanesBelow() {
        fixture.server().on("GET /api/scheduler/running", SampleRunJson.list(mixed()));
        assertThat(fixture.run("runs"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                Run 3  running for 1m  1 of 6 completed, 1 running, 2 pending, 1 failed, 1 cancelled  single  command/command_gpu.txt
                                  lane 1   busy     1/2  task 17 on 0,1
                                  lane 2   backoff  0/1  task 18 waits for retry 3, 9m more
                                  lane 10  idle     0/1  task 19 waits
                                  lane 11  done     0/2
                                """,
                                ""));
    }

    @Test
    void whyNothingOfItCanStartIsReported() {
        fixture.server()
                .on(
                        "GET /api/scheduler/running",
                        SampleRunJson.list(
                                SampleRunJson.run(1).with("reason", "no card has 200 GB\u0007")));
        assertThat(fixture.run("runs").out())
                .endsWith("\n  no task of it can start: no card has 200 GB\\u0007\n");
    }

    @Test
    void theAbsenceOfRunsIsReported() {
        fixture.server().on("GET /api/scheduler/running", "[]");
        assertThat(fixture.run("runs"))
                .isEqualTo(new Result(0, "No command file runs. Start one: berth run FILE\n", ""));
        assertThat(fixture.run("runs", "--json").out()).isEqualTo("[]\n");
    }

    @Test
    void allAreThoseOfBothModesInOrder() {
        fixture.server()
                .on(
                        "GET /api/scheduler/single/state",
                        SampleRunJson.list(
                                SampleRunJson.run(1).ended("finished"), SampleRunJson.run(3)));
        fixture.server()
                .on(
                        "GET /api/scheduler/multi/state",
                        SampleRunJson.list(
                                SampleRunJson.run(2).with("mode", "multi").ended("stopped")));
        assertThat(fixture.run("runs", "--all").out().lines())
                .containsExactly(
                        "Run 1  finished 10s ago  0 of 0 completed  single "
                                + " command/command_gpu.txt",
                        "Run 2  stopped 10s ago  0 of 0 completed  multi  command/command_gpu.txt",
                        "Run 3  running for 1m  0 of 0 completed  single  command/command_gpu.txt");
        assertThat(fixture.run("runs", "-a", "--json").out())
                .startsWith("[{\"pid\":1,")
                .contains(",{\"pid\":2,", ",{\"pid\":3,");
    }

    @Test
    void aRunIsStoppedByItsNumber() {
        fixture.server()
                .on(
                        "POST /api/scheduler/stop/3",
                        SampleRunJson.run(3)
                                .with("status", "stopping")
                                .lane("1", "busy", SampleRunJson.task(17, "running"))
                                .toString());
        assertThat(fixture.run("runs", "stop", "3"))
                .isEqualTo(new Result(0, "run 3 stopping: 0 of 1 completed, 1 running\n", ""));
        assertThat(fixture.run("runs", "stop", "3", "--json").out()).startsWith("{\"pid\":3,");
    }

    @Test
    void whatRunsMayBeLeftToItself() {
        fixture.server()
                .on(
                        "POST /api/scheduler/stop/3?keep_running=true",
                        SampleRunJson.run(3).ended("stopped").toString());
        assertThat(fixture.run("runs", "stop", "3", "--keep-running"))
                .isEqualTo(new Result(0, "run 3 stopped: 0 of 0 completed\n", ""));
    }

    @Test
    void aRunThatIsOverIsNotStoppedAgain() {
        fixture.server()
                .on(
                        "POST /api/scheduler/stop/3",
                        fixture.server()
                                .json(
                                        409,
                                        "{\"detail\":\"Run 3 is not running.\","
                                                + "\"code\":\"run.not_running\"}"));
        assertThat(fixture.run("runs", "stop", "3"))
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
        Result result = fixture.run(("runs " + words).split(" "));
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("\nUsage: berth runs [OPTIONS] [stop RUN]\n");
        assertThat(fixture.server().received()).isEmpty();
    }

    @Test
    void anAnswerThatIsNoListIsRefused() {
        fixture.server().on("GET /api/scheduler/running", "{}");
        assertThat(fixture.run("runs"))
                .isEqualTo(new Result(1, "", "berth: the server sent no list of runs\n"));
    }
}
