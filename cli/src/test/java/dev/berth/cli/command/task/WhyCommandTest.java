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

    @Test
    void aWaitingTaskShowsItsReasonsAndEachGpuItsOwn() {
        task(SampleTaskJson.detail(7).with("position", 2).with("max_gpu", 4));
        placement(
                "\"min_gpu\":3,\"max_gpu\":4,\"memory_mb\":6000,\"memory_from\":\"estimate\","
                        + "\"margin_mb\":2000",
                """
                {"detail":"3 GPUs wanted, 2 would do now.","code":"cards.short","parts":[
                {"detail":"GPU 2 is held by task 3.","code":"card.held","parts":[]}]},
                {"detail":"Task 5 keeps its turn.","code":"line.behind","parts":[]}
                """,
                THREE_CARDS);
        assertThat(fixture.run("why", "7"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                Task 7  task-7  queued
                                  position    2 ahead of it
                                  waits for   3 GPUs wanted, 2 would do now.
                                              Task 5 keeps its turn.
                                  needs       3-4 GPUs, each with 6000 MB free and 2000 MB to spare (estimated)
                                  chooses by  best_score

                                GPU  NAME                FREE  UNRESERVED  SCORE  VERDICT  WHY NOT
                                  0  H200  143000 / 143771 MB               25.0  chosen
                                  1  H200   90000 / 143771 MB    80000 MB   12.3  fits
                                  2  H200       ? / 143771 MB                0.0  refused  is held by task 3.
                                """,
                                ""));
    }

    @Test
    void scoresAreShownPartByPartIfAsked() {
        task(SampleTaskJson.detail(7));
        placement("\"min_gpu\":1,\"max_gpu\":1", "", THREE_CARDS);
        assertThat(fixture.run("why", "7").out()).doesNotContain("balanced");
        assertThat(fixture.run("why", "--scores", "7").out())
                .endsWith(
                        """

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
                        + " | 1 GPU less than 20 % full",
                "\"min_gpu\":2,\"max_gpu\":2,\"memory_mb\":6000,\"memory_from\":\"stated\""
                        + " | 2 GPUs, each with 6000 MB free",
                "\"min_gpu\":1,\"max_gpu\":3 | 1-3 GPUs",
            })
    void theNeedIsSaidInWords(String need, String words) {
        task(SampleTaskJson.detail(7));
        placement(need, "", "");
        assertThat(fixture.run("why", "7").out()).contains("  needs       " + words + "\n");
    }

    @Test
    void namedGpusAreNamed() {
        task(SampleTaskJson.detail(7).with("devices", "0,1"));
        placement("\"min_gpu\":2,\"max_gpu\":2", "", "");
        assertThat(fixture.run("why", "7").out()).contains("needs       2 GPUs (0,1)\n");
    }

    @Test
    void oneWithoutGpusHasNoTable() {
        task(SampleTaskJson.detail(7).with("devices", "cpu").with("position", 0));
        placement(
                "\"min_gpu\":0,\"max_gpu\":0",
                "{\"detail\":\"2 run on cpu, which is the most.\",\"code\":\"cpu.full\"}",
                "");
        assertThat(fixture.run("why", "7").out())
                .isEqualTo(
                        """
                        Task 7  task-7  queued
                          position    next in the queue
                          waits for   2 run on cpu, which is the most.
                          needs       no GPU
                        """);
    }

    @Test
    void whatWaitsForNothingReportsIt() {
        task(SampleTaskJson.detail(7));
        server.on(PLACEMENT, "{\"would_start\":true,\"need\":{\"min_gpu\":1,\"max_gpu\":1}}");
        assertThat(fixture.run("why", "7").out()).contains("waits for   nothing: it starts now\n");
    }

    @Test
    void oneThatRunsShowsWhere() {
        task(SampleTaskJson.detail(7).running(0, 1));
        placement("\"min_gpu\":2,\"max_gpu\":2", "", "");
        assertThat(fixture.run("why", "7").out())
                .contains("  waits for   nothing\n  runs on     GPU 0,1\n");
    }

    @Test
    void aDraftWaitsForItsOwnerAndForWhatStandsInItsWay() {
        task(SampleTaskJson.detail(7).with("status", "pending").with("phase", "pending"));
        placement(
                "\"min_gpu\":1,\"max_gpu\":1",
                "{\"detail\":\"1 GPU wanted, 0 would do now.\",\"code\":\"cards.short\"}",
                "");
        assertThat(fixture.run("why", "7").out())
                .contains(
                        "  waits for   you: `berth queue 7` or `berth launch 7`\n"
                                + "              1 GPU wanted, 0 would do now.\n");
    }

    @Test
    void aReasonIsNeverCutOffAndAlwaysSafe() {
        fixture.env().put("COLUMNS", "40");
        task(SampleTaskJson.detail(7));
        String reason = "is in use by a very long name indeed\\u001b[2J and more of it.";
        placement(
                "\"min_gpu\":1,\"max_gpu\":1",
                "",
                "{\"index\":0,\"refusal\":{\"detail\":\""
                        + reason
                        + "\",\"code\":\"card.in_use\"}}");
        assertThat(fixture.run("why", "7").out())
                .contains("is in use by a very long name indeed\\e[2J and more of it.\n");
    }

    @Test
    void jsonIsTheUnchangedReply() {
        task(SampleTaskJson.detail(7));
        placement("", "", "");
        assertThat(fixture.run("why", "--json", "7").out()).startsWith("{\"task_id\":7,");
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
