package dev.berth.server.api.metrics;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Ending;
import dev.berth.identity.AuthMode;
import dev.berth.port.Fact;
import dev.berth.server.HttpServer;
import dev.berth.server.HttpSettings;
import dev.berth.server.TestServer;
import dev.berth.testkit.EventClient;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

class MetricsTest {

    private static final String ONE_CARD =
            "{\"name\":\"t\",\"command\":\"true\",\"devices\":\"0\"}";

    @Test
    void namesAndTypesStayAsDashboardsExpect() throws Exception {
        try (var premises = TestServer.open()) {
            var reply = premises.tcp().get("/metrics");
            assertThat(reply.header("Content-Type"))
                    .contains("text/plain; version=0.0.4; charset=utf-8");
            assertThat(
                            premises.tcp()
                                    .get("/api/openapi.json")
                                    .json()
                                    .at("/paths/~1metrics/get/responses/200/content")
                                    .propertyNames())
                    .containsExactly("text/plain");
            assertThat(reply.text().lines())
                    .contains(
                            "# TYPE scheduler_queue_size gauge",
                            "# TYPE scheduler_queue_wait_seconds histogram",
                            "# TYPE scheduler_schedule_total counter",
                            "# TYPE scheduler_schedule_failures counter",
                            "# TYPE gpu_memory_used_bytes gauge",
                            "# TYPE gpu_memory_total_bytes gauge",
                            "# TYPE gpu_utilization_percent gauge",
                            "# TYPE gpu_temperature_celsius gauge",
                            "# TYPE gpu_tasks_total counter");
        }
    }

    @Test
    void valuesMoveWithOneQueuedOneStartedAndOneFailedLaunch() throws Exception {
        try (var premises = TestServer.open()) {
            premises.stopScheduler();
            long first = premises.submit(ONE_CARD);
            assertThat(samples(premises).values())
                    .containsEntry("scheduler_queue_size", 1.0)
                    .containsEntry("berth_queue_tasks{priority=\"NORMAL\"}", 1.0)
                    .containsEntry("scheduler_schedule_total", 0.0)
                    .containsEntry("scheduler_schedule_failures", 0.0)
                    .containsEntry("berth_scheduler_running", 0.0)
                    .containsEntry("scheduler_queue_wait_seconds_count", 0.0);

            premises.socket().post("/api/scheduler/start", "");
            await(premises, "berth_launches_total{result=\"started\"}", 1);
            assertThat(samples(premises).values())
                    .containsEntry("scheduler_queue_size", 0.0)
                    .containsEntry("berth_tasks_running", 1.0)
                    .containsEntry("scheduler_schedule_total", 1.0)
                    .containsEntry("scheduler_queue_wait_seconds_count", 1.0)
                    .containsEntry("scheduler_queue_wait_seconds_bucket{le=\"+Inf\"}", 1.0)
                    .containsEntry("berth_scheduler_running", 1.0);

            end(premises, first, new Ending.LaunchFailed("no such directory"));
            await(premises, "berth_tasks_ended_total{outcome=\"failed\"}", 1);
            assertThat(samples(premises).values())
                    .containsEntry("scheduler_schedule_failures", 1.0)
                    .containsEntry("berth_launches_total{result=\"failed\"}", 1.0)
                    .containsEntry("scheduler_schedule_total", 1.0)
                    .containsEntry("berth_tasks_running", 0.0);
        }
    }

    @Test
    void aStartRefusedAtTheLastCheckIsAFailureAndTheTaskStaysQueued() throws Exception {
        try (var premises = TestServer.open()) {
            long task = premises.submit(ONE_CARD);
            await(premises, "berth_launches_total{result=\"started\"}", 1);
            premises.stopScheduler();
            end(premises, task, new Ending.NeverStarted());
            await(premises, "scheduler_queue_size", 1);
            assertThat(samples(premises).values())
                    .containsEntry("scheduler_schedule_failures", 1.0)
                    .containsEntry("berth_launches_total{result=\"never_started\"}", 1.0)
                    .containsEntry("berth_tasks_ended_total{outcome=\"failed\"}", 0.0);
        }
    }

    @Test
    void aCancelledTaskLeavesTheQueueAndIsNoFailure() throws Exception {
        try (var premises = TestServer.open()) {
            premises.stopScheduler();
            long task = premises.submit(ONE_CARD);
            assertThat(samples(premises).value("scheduler_queue_size")).isEqualTo(1);
            premises.socket().post("/api/tasks/" + task + "/cancel", "");
            assertThat(samples(premises).values())
                    .containsEntry("scheduler_queue_size", 0.0)
                    .containsEntry("scheduler_schedule_failures", 0.0)
                    .containsEntry("berth_tasks_ended_total{outcome=\"cancelled\"}", 1.0);
        }
    }

    @Test
    void gpuMemoryIsInBytesAndTasksAreCounted() throws Exception {
        try (var premises = TestServer.open()) {
            for (int i = 1; i <= 2; i++) {
                long task = premises.submit(ONE_CARD);
                premises.end(task, 0);
            }
            premises.node.read(2, 1000);
            await(premises, "gpu_memory_used_bytes{gpu=\"0\"}", 1_048_576_000);
            assertThat(premises.socket().get("/metrics").text().lines())
                    .contains(
                            "gpu_memory_used_bytes{gpu=\"0\"} 1048576000",
                            "gpu_memory_used_bytes{gpu=\"1\"} 0",
                            "gpu_memory_total_bytes{gpu=\"0\"} 25165824000",
                            "gpu_utilization_percent{gpu=\"0\"} 7",
                            "gpu_temperature_celsius{gpu=\"1\"} 41",
                            "gpu_tasks_total{gpu=\"0\"} 2",
                            "gpu_tasks_total{gpu=\"1\"} 0",
                            "berth_gpu_up{gpu=\"1\"} 1");
            var user = System.getProperty("user.name");
            assertThat(
                            samples(premises)
                                    .value("berth_user_gpu_seconds_total{user=\"" + user + "\"}"))
                    .isPositive();
        }
    }

    @Test
    void unreportedValuesAreOmitted() throws Exception {
        try (var premises = TestServer.open()) {
            var silent =
                    new GpuReading(
                            OptionalLong.of(0),
                            OptionalLong.of(ScriptedNode.TOTAL_MIB),
                            OptionalInt.empty(),
                            OptionalInt.empty());
            premises.node.tell(
                    new GpuState.Readable(ScriptedNode.card(0), silent),
                    new GpuState.Failed(ScriptedNode.card(1), "fell off the bus"));
            await(premises, "berth_gpu_up{gpu=\"1\"}", 0);
            var samples = samples(premises);
            assertThat(samples.values())
                    .containsKey("gpu_memory_used_bytes{gpu=\"0\"}")
                    .containsEntry("berth_gpu_fault{gpu=\"1\",kind=\"missing\"}", 1.0)
                    .containsEntry("berth_alerts_total{type=\"gpu_error\"}", 1.0)
                    .doesNotContainKeys(
                            "gpu_utilization_percent{gpu=\"0\"}",
                            "gpu_temperature_celsius{gpu=\"0\"}",
                            "gpu_memory_used_bytes{gpu=\"1\"}");
        }
    }

    @Test
    void anIndexThatTwoGpusHadAppearsOnce() throws Exception {
        try (var premises = TestServer.open()) {
            var there = ScriptedNode.readable(0, 5);
            var gone = ScriptedNode.card(1);
            premises.node.tell(
                    there,
                    new GpuState.Failed(
                            new Gpu(gone.id(), 0, gone.model(), gone.totalMib()),
                            "fell off the bus"));
            await(premises, "berth_gpu_fault{gpu=\"0\",kind=\"missing\"}", 1);
            assertThat(samples(premises).value("berth_gpu_up{gpu=\"0\"}")).isEqualTo(1);
        }
    }

    @Test
    void freeSpaceIsOfTheLogDisk() throws Exception {
        try (var premises = TestServer.open()) {
            assertThat(samples(premises).values()).doesNotContainKey("berth_disk_free_bytes");
            var runtime = Files.createDirectory(premises.home.resolve("runtime"));
            assertThat(samples(premises).value("berth_disk_free_bytes"))
                    .isPositive()
                    .isLessThanOrEqualTo(Files.getFileStore(runtime).getTotalSpace());
        }
    }

    @Test
    void streamClientsAndResponsesAreCounted() throws Exception {
        try (var premises = TestServer.open()) {
            premises.socket().get("/api/nothing");
            assertThat(samples(premises).value("berth_http_requests_total{code=\"404\"}"))
                    .isEqualTo(1);
            assertThat(samples(premises).value("berth_event_lag_seconds")).isZero();
            try (var events = EventClient.listen(premises.door.url(), "/api/events")) {
                await(premises, "berth_stream_clients", 1);
                premises.submit(TestServer.cpuTask("x"));
                events.await("the submit is received", one -> !one.received("task").isEmpty());
                assertThat(samples(premises).value("berth_event_lag_seconds"))
                        .isPositive()
                        .isLessThan(20);
            }
        }
    }

    @Test
    void withoutATokenTheResponseExplainsAuthentication() throws Exception {
        try (var premises = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT)) {
            var refused = premises.tcp().get("/metrics");
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.text())
                    .contains("berth token create", "credentials_file", "Bearer", "metrics_open");
            var token = "Authorization: Bearer " + premises.token();
            assertThat(premises.tcp().get("/metrics", token).status()).isEqualTo(200);
        }
    }

    @Test
    void onlyOpenMetricsNeedNoToken() throws Exception {
        try (var premises = TestServer.open(MetricsTest::open, HttpServer.Timeouts.DEFAULT)) {
            assertThat(MetricSamples.of(premises.tcp().get("/metrics")).types())
                    .containsKey("scheduler_queue_size");
            assertThat(premises.tcp().get("/api/gpus").status()).isEqualTo(401);
            // The counter of responses distinguishes the scrapes.
            eventually(
                    "an unauthenticated client gets the last reading",
                    () ->
                            premises.tcp()
                                    .get("/metrics")
                                    .text()
                                    .equals(premises.tcp().get("/metrics").text()));
        }
    }

    private static HttpSettings open(Path home) {
        try {
            Files.createDirectories(home.resolve("config"));
            Files.writeString(home.resolve("config/berth.yaml"), "metrics_open: true\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return HttpSettings.onLoopback(home, 0, AuthMode.TOKEN);
    }

    private static void end(TestServer premises, long task, Ending ending) {
        premises.engine.observe(
                new Fact.Ended(new AttemptId(new TaskId(task), 1), ending, List.of()));
    }

    private static MetricSamples samples(TestServer premises) {
        return MetricSamples.of(premises.socket().get("/metrics"));
    }

    private static void await(TestServer premises, String sample, double value) {
        eventually(
                sample + " is " + value,
                () -> Double.valueOf(value).equals(samples(premises).values().get(sample)));
    }
}
