package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.time.Instant;
import java.util.Map;

/** Limits and reservations with a real server and real tasks. */
@ExtendWith(ServerHarnessExtension.class)
final class UserLimitsTest {

    private static final String SLEEP = "exec sleep 600";

    @Test
    void aTaskAboveALimitWaitsUntilTheLimitIsRaised(ServerHarness harness) {
        var api = harness.start();
        var user = System.getProperty("user.name");
        var limit = "{\"limits.users." + user + ".max_gpus\":1}";
        api.client().put("/api/rule", limit).expect(200);
        long first = api.submit(TaskBuilder.oneGpu(SLEEP));
        api.awaitPhase(first, "running");
        long second = api.submit(TaskBuilder.oneGpu(SLEEP));

        assertThat(api.task(second).path("wait_reasons").toString())
                .contains("limit.max_gpus")
                .contains("hold 1 GPU, 1 are allowed at a time (max_gpus)");
        var person = person(api, user);
        assertThat(person.path("running_gpus").asInt()).isEqualTo(1);
        assertThat(person.path("limits").path("max_gpus").path("source").asString())
                .isEqualTo("user");
        api.client().put("/api/rule", limit.replace(":1}", ":2}")).expect(200);
        api.awaitPhase(second, "running");
        assertThat(api.events("rules.changed").toString()).contains("max_gpus");
        api.cancel(first);
        api.cancel(second);
    }

    @Test
    void aReservationSurvivesARestartAndKeepsItsGpusUntilItIsRemoved(ServerHarness harness) {
        var api = harness.start();
        var body =
                "{\"gpus\":4,\"seconds\":3600,\"note\":\"maintenance\",\"from\":\""
                        + Instant.now().minusSeconds(5)
                        + "\"}";
        var made = api.client().post("/api/reservations", body).expect(201);
        assertThat(made.path("active").asBoolean()).isTrue();
        api = harness.restart();
        long task = api.submit(TaskBuilder.oneGpu(SLEEP));
        assertThat(api.task(task).path("wait_reasons").toString())
                .contains("card.reservation", "(reservation 1)");
        api.client()
                .send(new TestClient.TestRequest("DELETE", "/api/reservations/1", Map.of(), ""))
                .expect(200);
        api.awaitPhase(task, "running");
        assertThat(api.events("reservation.created")).hasSize(1);
        assertThat(api.events("reservation.removed")).hasSize(1);
        api.cancel(task);
    }

    private static JsonNode person(TestApi api, String user) {
        return TestApi.list(api.client().get("/api/people").expect(200)).stream()
                .filter(one -> one.path("user").asString().equals(user))
                .findFirst()
                .orElseThrow();
    }
}
