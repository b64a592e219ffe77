package dev.berth.server.api.gpu;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuFault;
import dev.berth.port.Fact;
import dev.berth.server.TestServer;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.util.Optional;

/** Quarantined GPUs. */
class GpuQuarantineTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private JsonNode gpu(int index) {
        return server.socket().get("/api/gpus").json().get(index);
    }

    private void reportFault() {
        var card = ScriptedNode.card(1).id();
        server.node.observe(new Fact.GpuFaultFound(card, GpuFault.Kind.XID, "Xid 79"));
        eventually("it is out", () -> gpu(1).get("status").asString().equals("error"));
    }

    @Test
    void faultyGpuShowsItsFaultAndReading() {
        reportFault();
        var gpu = gpu(1);
        assertThat(gpu.get("why").asString()).isEqualTo("Xid 79");
        assertThat(gpu.get("is_free").asBoolean()).isFalse();
        assertThat(gpu.get("memory_used_mb").asLong()).isZero();
        assertThat(gpu.get("temperature_c").asInt()).isEqualTo(41);
        var fault = gpu.get("fault");
        assertThat(fault.get("kind").asString()).isEqualTo("xid");
        assertThat(fault.get("stage").asString()).isEqualTo("testing");
        assertThat(fault.get("since").asString()).isNotEmpty();
        assertThat(gpu(0).get("fault").isNull()).isTrue();
        assertThat(gpu(0).get("status").asString()).isEqualTo("free");
    }

    @Test
    void gpuCanBeQuarantinedAndRecovered() {
        var out = server.socket().post("/api/gpus/0/quarantine", "{\"reason\":\"a fan rattles\"}");
        assertThat(out.status()).isEqualTo(200);
        assertThat(out.json().get("fault").get("kind").asString()).isEqualTo("person");
        assertThat(out.json().get("fault").get("stage").asString()).isEqualTo("out");
        assertThat(out.json().get("status").asString()).isEqualTo("error");
        var again = server.socket().post("/api/gpus/0/quarantine", "{\"reason\":\"once more\"}");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().get("code").asString()).isEqualTo("card.out_already");

        var back = server.socket().post("/api/gpus/0/recover", "{\"force\":true}");
        assertThat(back.status()).isEqualTo(200);
        assertThat(back.json().get("fault").isNull()).isTrue();
        assertThat(back.json().get("status").asString()).isEqualTo("free");
        var none = server.socket().post("/api/gpus/0/recover", "");
        assertThat(none.status()).isEqualTo(409);
        assertThat(none.json().get("code").asString()).isEqualTo("card.not_out");
    }

    @Test
    void gpuThatAPersonQuarantinedIsReadableAndNotInError() {
        server.socket().post("/api/gpus/0/quarantine", "{\"reason\":\"a fan rattles\"}");
        long task = server.submit("{\"name\":\"n\",\"command\":\"true\",\"devices\":\"0\"}");
        var why = server.socket().get("/api/tasks/" + task + "/why").json();
        assertThat(why.toString()).contains("card.quarantined").doesNotContain("card.error");
        var placed =
                server.socket().get("/api/tasks/" + task + "/placement").json().get("gpus").get(0);
        assertThat(placed.get("refusal").get("detail").asString())
                .isEqualTo("GPU 0 is quarantined: a fan rattles.");
        assertThat(placed.get("memory_free_mb").isNull()).isFalse();
        assertThat(placed.get("headroom_mb").isNull()).isFalse();
    }

    @Test
    void failedGpuIsTestedAgainOnRequest() {
        reportFault();
        var card = ScriptedNode.card(1).id();
        server.node.observe(new Fact.GpuTested(card, Optional.of("it is not back")));
        eventually("it stays out", () -> gpu(1).get("fault").get("stage").asString().equals("out"));
        var asked = server.socket().post("/api/gpus/1/recover", "");
        assertThat(asked.status()).isEqualTo(200);
        assertThat(asked.json().get("fault").get("stage").asString()).isEqualTo("testing");
        server.node.observe(new Fact.GpuTested(card, Optional.empty()));
        eventually("it is back", () -> gpu(1).get("status").asString().equals("free"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/gpus/9/recover    | ''                     | 404 | card.unknown",
                "/api/gpus/9/quarantine | {\"reason\":\"x\"}       | 404 | card.unknown",
                "/api/gpus/x/recover    | ''                     | 422 | id.invalid",
                "/api/gpus/0/quarantine | {}                     | 422 | field.missing",
                "/api/gpus/0/quarantine | {\"reason\":\" \"}       | 422 | reason.invalid",
                "/api/gpus/0/quarantine | {\"reason\":\"a\\nb\"}   | 422 | reason.invalid",
                "/api/gpus/0/recover    | {\"force\":\"yes\"}      | 422 | force.invalid",
            })
    void whatMakesNoSenseIsRefused(String path, String body, int status, String code) {
        var answer = server.socket().post(path, body);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.json().get("code").asString()).isEqualTo(code);
        assertThat(gpu(0).get("fault").isNull()).isTrue();
    }
}
