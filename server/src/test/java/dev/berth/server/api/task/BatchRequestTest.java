package dev.berth.server.api.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.json.WireJson;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Scripts with {@code #SBATCH} lines on one machine with two GPUs. */
class BatchRequestTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private TestHttpClient.Reply submit(String script, Map<String, ?> fields) {
        return server.socket().post("/api/tasks", body(script, fields));
    }

    private static String body(String script, Map<String, ?> fields) {
        var all = new LinkedHashMap<String, Object>(fields);
        all.put("command", script);
        return WireJson.MAPPER.writeValueAsString(all);
    }

    private static final String SCRIPT =
            """
            #!/bin/bash
            #SBATCH --job-name=train --output=out-%j.txt
            #SBATCH --gres=gpu:2
            #SBATCH -t 1:30:00
            #SBATCH --chdir=/tmp --export=ALL,SEED=7
            #SBATCH --hold
            python train.py
            """;

    @Test
    void linesThatBerthKnowsAreFields() {
        var reply = submit(SCRIPT, Map.of());
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        var task = server.show(reply.json().get("id").asLong());
        assertThat(task.get("name").asString()).isEqualTo("train");
        assertThat(task.get("gpu_count").asInt()).isEqualTo(2);
        assertThat(task.get("timeout_seconds").asInt()).isEqualTo(5400);
        assertThat(task.get("work_dir").asString()).isEqualTo("/tmp");
        assertThat(task.get("status").asString()).isEqualTo("pending");
        assertThat(task.get("env").toString()).contains("SEED");
    }

    @Test
    void whatTheRequestStatesWins() {
        var reply = submit(SCRIPT, Map.of("name", "mine", "devices", "cpu", "timeout_seconds", 60));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        var task = server.show(reply.json().get("id").asLong());
        assertThat(task.get("name").asString()).isEqualTo("mine");
        assertThat(task.get("devices").asString()).isEqualTo("cpu");
        assertThat(task.get("timeout_seconds").asInt()).isEqualTo(60);
    }

    @ParameterizedTest
    @CsvSource({
        "--partition=long, batch.unknown",
        "--mem=4G, batch.unknown",
        "--ntasks=4, batch.unknown",
        "--uid=0, batch.refused",
        "hetjob, batch.refused",
        "--nodes=2, batch.nodes",
        "--time=soon, batch.invalid",
        "--gres=fpga:1, batch.invalid",
        "--chdir=here, batch.invalid",
        "--dependency=afterok:7, batch.dependency",
        "--array=1-3, batch.array"
    })
    void otherLinesAreRefusedByTheirNumber(String option, String code) {
        var reply = submit("#!/bin/bash\n\n#SBATCH " + option + "\ntrue", Map.of("name", "n"));
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.field()).isEqualTo("command");
        assertThat(reply.json().get("detail").asString()).contains("Line 3");
        assertThat(server.tasks()).isZero();
    }

    @Test
    void anArrayBecomesTasks() {
        var script = "#SBATCH -J sweep --gpus=0 --array=2-8:3%2\ntrue";
        var reply =
                server.socket()
                        .post("/api/tasks/batch", "[" + body(script, Map.of("draft", true)) + "]");
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        var ids = reply.json().get("ids").valueStream().map(id -> id.asLong()).toList();
        assertThat(ids).hasSize(3);
        assertThat(ids.stream().map(id -> server.show(id).get("name").asString()))
                .isEqualTo(List.of("sweep[2]", "sweep[5]", "sweep[8]"));
        assertThat(ids.stream().map(id -> server.show(id).get("lane").asString()))
                .isEqualTo(List.of("sweep-0", "sweep-1", "sweep-0"));
        assertThat(server.show(ids.get(1)).get("env").toString()).contains("SLURM_ARRAY_TASK_ID");
    }

    @Test
    void singletonIsALane() {
        var reply = submit("#SBATCH -J a/b -d singleton\ntrue", Map.of("draft", true));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        assertThat(reply.json().get("lane").asString()).isEqualTo("a_b");
    }

    @Test
    void aNewCommandOfATaskIsCheckedToo() {
        var id = submit("true", Map.of("name", "n", "draft", true)).json().get("id").asLong();
        var reply =
                server.socket().patch("/api/tasks/" + id, body("#SBATCH --mem=1G\ntrue", Map.of()));
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.code()).isEqualTo("batch.unknown");
    }
}
