package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What ended runs tell about the next one, through a restart. */
@ExtendWith(ServerHarnessExtension.class)
final class LearnedRunsTest {

    @Test
    void endedRunsPredictAfterARestartAndCanBeForgotten(ServerHarness harness) {
        var api = harness.simulatedGpus(1).start();
        for (int run = 1; run <= 3; run++) {
            api.awaitEnd(api.submit(train(run)));
        }
        long fourth = api.submit(train(4));
        var task = api.task(fourth);
        assertThat(task.path("predicted_from").asInt()).isEqualTo(3);
        assertThat(task.path("predicted_seconds").asDouble()).isBetween(0.2, 60.0);
        assertThat(task.path("predicted_seconds_high").asDouble())
                .isGreaterThanOrEqualTo(task.path("predicted_seconds").asDouble());
        assertThat(
                        api.task(api.submit(TaskBuilder.cpu("./new").named("new")))
                                .path("predicted_from")
                                .isNull())
                .isTrue();
        api.awaitEnd(fourth);

        api = harness.restart();
        var client = api.client();
        eventually(
                "the runs are read again",
                () -> client.get("/api/learned").json().path(0).path("runs").asInt() >= 4);
        var learned = client.get("/api/learned").json();
        var fingerprint = "";
        for (var one : learned) {
            if (one.path("name").asString().equals("train")) {
                fingerprint = one.path("fingerprint").asString();
                assertThat(one.path("command").asString()).isEqualTo("sleep # # ; true");
            }
        }
        assertThat(forget(client, fingerprint)).isEqualTo(200);
        assertThat(forget(client, fingerprint)).isEqualTo(404);
        assertThat(forget(client, "no")).isEqualTo(404);
        assertThat(api.task(fourth).path("predicted_from").isNull()).isTrue();
        assertForgottenIsAnEvent(client, fingerprint);
        api.awaitEnd(api.submit(TaskBuilder.cpu("true").named("kept")));

        api = harness.restart();
        var after = api.client();
        eventually("the runs are read again", () -> names(after).contains("kept"));
        assertThat(names(after)).as("forgotten for good").doesNotContain("train");
        assertThat(api.task(fourth).path("predicted_from").isNull()).isTrue();
    }

    /** One event: the second request found nothing to forget. */
    private static void assertForgottenIsAnEvent(TestClient client, String fingerprint) {
        var events = new ArrayList<JsonNode>();
        for (var event : client.get("/api/events/log?limit=1000").json()) {
            if (event.path("kind").asString().equals("learned.forgotten")) {
                events.add(event);
            }
        }
        assertThat(events).hasSize(1);
        var data = events.getFirst().path("data");
        assertThat(data.path("fingerprint").asString()).isEqualTo(fingerprint);
        assertThat(data.path("name").asString()).isEqualTo("train");
        assertThat(data.path("owner").asString())
                .isEqualTo(events.getFirst().path("actor").asString());
    }

    private static List<String> names(TestClient client) {
        var names = new ArrayList<String>();
        client.get("/api/learned").json().forEach(one -> names.add(one.path("name").asString()));
        return names;
    }

    private static TaskBuilder train(int run) {
        return TaskBuilder.oneGpu("sleep 0.3 " + run + " ; true").named("train");
    }

    private static int forget(TestClient client, String fingerprint) {
        var path = "/api/learned/" + fingerprint;
        return client.send(new TestClient.TestRequest("DELETE", path, Map.of(), "")).status();
    }
}
