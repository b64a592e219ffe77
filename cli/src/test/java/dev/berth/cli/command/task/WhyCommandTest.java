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

class WhyCommandTest {

    private static final String WHY = "GET /api/tasks/7/why";
    private static final String PLACEMENT = "GET /api/tasks/7/placement";

    private static final String THREE_CARDS =
            """
            {"index":0,"name":"H200","memory_total_mb":143771,"memory_free_mb":143000,
             "headroom_mb":143000,"fits":true,"chosen":true,"refusal":null,"score":25.0,"scores":{
             "best_score":{"total":25.0,"parts":{"model_loaded":0.0,"memory_free":20.04,"coolness":5.0}},
             "balanced":{"total":99.0,"parts":{"model_affinity":50.0,"idle":-0.25}},
             "sampling":{"total":1.5,"parts":{}}}},
            {"index":1,"name":"H200","memory_total_mb":143771,"memory_free_mb":90000,
             "headroom_mb":80000,"fits":true,"chosen":false,"refusal":null,"score":12.3,"scores":{}},
            {"index":2,"name":"H200","memory_total_mb":143771,"memory_free_mb":null,
             "headroom_mb":null,"fits":false,"chosen":false,"score":0.0,"scores":{},
             "refusal":{"detail":"GPU 2 is held by task 3.","code":"card.held"}}\
            """;

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

    private void task(SampleTaskJson task) {
        server.on("GET /api/tasks/7", task.toString());
    }

    private void placement(String need, String reasons, String gpus) {
        server.on(
                PLACEMENT,
                """
                {"task_id":7,"selector":"best_score","would_start":false,
                "need":{%s},"reasons":[%s],"gpus":[%s]}\
                """
                        .formatted(need, reasons, gpus));
    }

    private void why(String fields) {
        server.on(WHY, "{\"task_id\":7,\"status\":\"queued\"," + fields + "}");
    }

    private static final String WAITING =
            """
            "summary":{"detail":"Needs 3 GPUs; free for it now: 2.","code":"cards.short"},
            "reasons":[
             {"detail":"Needs 3 GPUs; free for it now: 2.","code":"cards.short","parts":[
              {"detail":"GPU 2 is held by task 3.","code":"card.held","parts":[]}]},
             {"detail":"Task 5 is at the head of the queue and starts first; 2 tasks are ahead.",
              "code":"line.behind","parts":[]}],
            "gpus":[{"reason":null,"gpus":[0,1]},
             {"reason":{"detail":"GPU 2,3,4,7 is held by task 3.","code":"card.held"},"gpus":[2,3,4,7]},
             {"reason":{"detail":"GPU 5,6 is a NVIDIA GeForce RTX 4090 Laptop GPU, not a NVIDIA H200 141GB HBM3e.",
              "code":"card.wrong_model"},"gpus":[5,6]}],
            "ahead":[
             {"task_id":3,"name":"train","owner":"ann","status":"running","gpus":[2,3,4,7],
              "expected_end":"2025-11-15T06:05:30Z"},
             {"task_id":5,"name":"big","owner":"bob","status":"queued","gpus":[],"expected_end":null}],
            "ahead_total":22,"people_ahead":2,
            "suggestions":[
             {"code":"fewer_gpus","detail":"with 2 GPUs: now","starts_now":true,"change":{"gpu_count":2},
              "command":"berth edit 7 --gpus 2"},
             {"code":"any_type","detail":"without type NVIDIA H200 141GB HBM3e: in about 6 min",
              "starts_now":false,"eta":"2025-11-15T06:06:00Z","change":{"gpu_type":"any"},
              "command":"berth edit 7 --type any"}]\
            """;

    @Test
    void aWaitingTaskShowsItsReasonsAndEachGpuItsOwn() {
        fixture.env().put("COLUMNS", "80");
        task(SampleTaskJson.detail(7).with("position", 2).with("max_gpu", 4));
        why(WAITING);
        assertThat(fixture.run("why", "7"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                Task 7  task-7  queued
                                  waits for   Needs 3 GPUs; free for it now: 2.
                                              Task 5 is at the head of the queue and starts first; 2 tasks are
                                              ahead.
                                  position    2 ahead of it
                                  ahead       22 tasks of 2 people

                                  GPU 0,1     fits
                                  GPU 2-4,7   is held by task 3.
                                  GPU 5,6     is a NVIDIA GeForce RTX 4090 Laptop GPU, not a NVIDIA H200 141GB
                                              HBM3e.

                                AHEAD  NAME   OWNER  STATUS   GPUS   ENDS
                                    3  train  ann    running  2-4,7  in about 5m
                                    5  big    bob    queued
                                and 20 more

                                It would start earlier
                                  with 2 GPUs: now
                                      berth edit 7 --gpus 2
                                  without type NVIDIA H200 141GB HBM3e: in about 6 min
                                      berth edit 7 --type any
                                """,
                                ""));
    }

    @Test
    void expectedAndPromisedStartsAreShownIfKnown() {
        task(SampleTaskJson.detail(7));
        why(
                """
                "summary":{"detail":"Needs 1 GPU; none is free for it.","code":"cards.short"},
                "eta":"2025-11-15T06:10:00Z","eta_latest":"2025-11-15T07:00:10Z",
                "reserved_start":"2025-11-15T07:30:00Z"\
                """);
        assertThat(fixture.run("why", "7").out())
                .contains("  expected    start in about 10m, at the latest in 1h\n")
                .contains("  promised    start in about 1h30m\n");
    }

    @Test
    void longListsOfGpusHaveTheirOwnLine() {
        task(SampleTaskJson.detail(7));
        why(
                """
                "summary":{"detail":"x","code":"cards.short"},
                "gpus":[{"reason":{"detail":"GPU 0,2,4,6,8 is reserved.","code":"card.reserved"},
                "gpus":[0,2,4,6,8]}]\
                """);
        assertThat(fixture.run("why", "7").out())
                .contains("  GPU 0,2,4,6,8\n              is reserved.\n");
    }

    @Test
    void scoresAreShownPartByPartIfAsked() {
        task(SampleTaskJson.detail(7));
        why("\"summary\":{\"detail\":\"x\",\"code\":\"y\"}");
        placement(
                "\"min_gpu\":3,\"max_gpu\":4,\"memory_mb\":6000,\"memory_from\":\"estimate\","
                        + "\"margin_mb\":2000",
                "",
                THREE_CARDS);
        assertThat(fixture.run("why", "7").out()).doesNotContain("balanced", "VERDICT");
        assertThat(fixture.run("why", "--scores", "7").out())
                .endsWith(
                        """

                          needs       3-4 GPUs, each with 6000 MB free and 2000 MB to spare (estimated)
                          chooses by  best_score

                        GPU  NAME                FREE  UNRESERVED  SCORE  VERDICT  WHY NOT
                          0  H200  143000 / 143771 MB               25.0  chosen
                          1  H200   90000 / 143771 MB    80000 MB   12.3  fits
                          2  H200       ? / 143771 MB                0.0  refused  is held by task 3.

                        GPU  RULE        SCORE  PARTS
                          0  best_score   25.0  model_loaded 0.0, memory_free 20.0, coolness 5.0
                          0  balanced     99.0  model_affinity 50.0, idle -0.3
                          0  sampling      1.5
                        """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"min_gpu\":1,\"max_gpu\":1,\"memory_mb\":null,\"threshold_percent\":20"
                        + " | auto | 1 GPU less than 20 % full",
                "\"min_gpu\":2,\"max_gpu\":2,\"memory_mb\":6000,\"memory_from\":\"stated\""
                        + " | auto | 2 GPUs, each with 6000 MB free",
                "\"min_gpu\":1,\"max_gpu\":3 | auto | 1-3 GPUs",
                "\"min_gpu\":2,\"max_gpu\":2 | 0,1 | 2 GPUs (0,1)",
                "\"min_gpu\":0,\"max_gpu\":0 | cpu | no GPU",
            })
    void withScoresTheNeedIsSaidInWords(String need, String devices, String words) {
        task(SampleTaskJson.detail(7).with("devices", devices));
        why("\"summary\":{\"detail\":\"x\",\"code\":\"y\"}");
        placement(need, "", "");
        assertThat(fixture.run("why", "--scores", "7").out())
                .endsWith("  needs       " + words + "\n");
    }

    @Test
    void oneThatDoesNotWaitReportsIt() {
        task(SampleTaskJson.detail(7).running(0, 1));
        why("\"summary\":{\"detail\":\"It is running on GPU 0,1.\",\"code\":\"why.running\"}");
        assertThat(fixture.run("why", "7").out())
                .isEqualTo(
                        """
                        Task 7  task-7  running
                          now         It is running on GPU 0,1.
                        """);
    }

    @Test
    void aReasonIsNeverCutOffAndAlwaysSafe() {
        fixture.env().put("COLUMNS", "40");
        task(SampleTaskJson.detail(7));
        String reason = "GPU 0 is in use by a very long name indeed\\u001b[2J and more of it.";
        why(
                "\"summary\":{\"detail\":\"x\",\"code\":\"y\"},\"gpus\":[{\"gpus\":[0],\"reason\":{"
                        + "\"detail\":\""
                        + reason
                        + "\",\"code\":\"card.in_use\"}}]");
        assertThat(fixture.run("why", "7").out())
                .endsWith(
                        """
                          GPU 0       is in use by a very long
                                      name indeed\\e[2J and more
                                      of it.
                        """);
    }

    @Test
    void jsonIsTheUnchangedReply() {
        task(SampleTaskJson.detail(7));
        why(WAITING);
        placement("", "", "");
        assertThat(fixture.run("why", "--json", "7").out()).contains("\"people_ahead\":2");
        assertThat(fixture.run("why", "--json", "--scores", "7").out()).contains("\"selector\"");
    }

    @Test
    void oneThatIsUnknownIsReported() {
        server.on("GET /api/tasks/7", server.json(404, "{\"detail\":\"No such task.\"}"));
        assertThat(fixture.run("why", "7"))
                .isEqualTo(new Result(1, "", "berth: task 7: No such task.\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"why", "why x", "why 0", "why --scores=all 7"})
    void whatCannotBeReadIsNotUnderstood(String words) {
        assertThat(fixture.run(words.split(" ")).status()).isEqualTo(2);
        assertThat(server.received()).isEmpty();
    }
}
