package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;

import dev.berth.testkit.EventClient;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Events reach their receivers, despite failures of a receiver and of the server. */
@ExtendWith(ServerHarnessExtension.class)
class NotificationDeliveryTest {

    /** A webhook of the lab that can be switched off. */
    private static final class Hook implements AutoCloseable {

        private final List<JsonNode> alerts = new CopyOnWriteArrayList<>();
        private final List<JsonNode> tasks = new CopyOnWriteArrayList<>();
        private final HttpServer server;
        private final AtomicInteger refused = new AtomicInteger();
        private volatile boolean isWell = true;

        Hook() throws IOException {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            take("/alerts", alerts);
            take("/tasks", tasks);
            server.start();
        }

        private void take(String path, List<JsonNode> into) {
            server.createContext(
                    path,
                    exchange -> {
                        var body = exchange.getRequestBody().readAllBytes();
                        if (isWell) {
                            into.add(JsonMapper.shared().readTree(body));
                        } else {
                            refused.incrementAndGet();
                        }
                        exchange.sendResponseHeaders(isWell ? 204 : 500, -1);
                        exchange.close();
                    });
        }

        String url(String path) {
            return "http://127.0.0.1:" + server.getAddress().getPort() + path;
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    @Test
    void aFailureAndAnAlertReachAWebhook(ServerHarness harness) throws Exception {
        try (var hook = new Hook()) {
            harness.configure(
                    "alert_webhook: "
                            + hook.url("/alerts")
                            + "\nmessages:\n  - {name: tasks, kind: webhook, url: \""
                            + hook.url("/tasks")
                            + "\", events: [task_failed]}\n");
            var api = harness.simulatedGpus(1).start();
            JsonNode streamed;
            long first;
            try (var client = EventClient.listen(harness.url(), "/api/events")) {
                client.await("it is greeted", one -> !one.received("resync").isEmpty());
                first = api.submit(TaskBuilder.cpu("sleep 600 & exit 3"));
                assertThat(api.awaitEnd(first).path("status").asString()).isEqualTo("failed");
                client.await("it is alerted", one -> !one.received("alert").isEmpty());
                streamed = JsonMapper.shared().readTree(client.received("alert").getFirst().data());
            }
            eventually("both have arrived", () -> !hook.alerts.isEmpty() && !hook.tasks.isEmpty());
            var alert = api.client().get("/api/alerts").expect(200).get(0);
            assertThat(alert.path("type").asString()).isEqualTo("processes_left");
            assertThat(hook.alerts).containsExactly(alert);
            alert.propertyStream()
                    .forEach(
                            field ->
                                    assertThat(streamed.get(field.getKey()))
                                            .isEqualTo(field.getValue()));
            assertThat(hook.tasks.getFirst().at("/task/exit_code").asInt()).isEqualTo(3);

            hook.isWell = false;
            long second = api.submit(TaskBuilder.cpu("exit 4"));
            assertThat(api.awaitEnd(second).path("status").asString()).isEqualTo("failed");
            eventually("it was tried", () -> hook.refused.get() > 0);
            harness.kill();
            hook.isWell = true;
            var again = harness.restart();
            eventually("it arrives after all", () -> hook.tasks.size() == 2);
            assertThat(hook.tasks)
                    .extracting(one -> one.at("/task/id").asLong())
                    .containsExactly(first, second);
            assertThat(hook.alerts).hasSize(1);
            var receivers = again.client().get("/api/receivers").expect(200);
            assertThat(receivers.at("/1/name").asString()).isEqualTo("tasks");
            eventually(
                    "it is known to have arrived",
                    () ->
                            again.client()
                                            .get("/api/receivers")
                                            .expect(200)
                                            .at("/1/waiting")
                                            .asInt()
                                    == 0);
        }
    }
}
