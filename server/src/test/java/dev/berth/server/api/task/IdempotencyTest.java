package dev.berth.server.api.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class IdempotencyTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private TestHttpClient.Reply submit(String name, String key) {
        return server.socket()
                .post("/api/tasks", TestServer.cpuTask(name), "Idempotency-Key: " + key);
    }

    @Test
    void repeatedRequestReturnsTheSameTask() {
        var first = submit("once", "k1");
        var second = submit("once", "k1");
        assertThat(first.status()).isEqualTo(201);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.json().get("id")).isEqualTo(first.json().get("id"));
        assertThat(second.header("Location")).isEqualTo(first.header("Location"));
        assertThat(server.tasks()).isEqualTo(1);
    }

    @Test
    void keyReuseForAnotherRequestIsRejected() {
        submit("once", "k1");
        var other = submit("other", "k1");
        assertThat(other.status()).isEqualTo(422);
        assertThat(other.field()).isEqualTo("Idempotency-Key");
        assertThat(server.tasks()).isEqualTo(1);
    }

    @Test
    void otherKeyCreatesAnotherTask() {
        assertThat(submit("once", "k1").json().get("id"))
                .isNotEqualTo(submit("once", "k2").json().get("id"));
    }

    @Test
    void cloneWithAKeyHappensOnce() {
        long id = server.submit(TestServer.cpuTask("model"));
        var first = server.socket().post("/api/tasks/" + id + "/clone", "", "Idempotency-Key: c");
        var second = server.socket().post("/api/tasks/" + id + "/clone", "", "Idempotency-Key: c");
        assertThat(first.status()).isEqualTo(201);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.json().get("id")).isEqualTo(first.json().get("id"));
        // The same key on another task's clone is another request.
        long other = first.json().get("id").asLong();
        assertThat(
                        server.socket()
                                .post("/api/tasks/" + other + "/clone", "", "Idempotency-Key: c")
                                .status())
                .isEqualTo(422);
    }

    @Test
    void invalidKeyIsRejected() {
        assertThat(submit("x", "k".repeat(201)).field()).isEqualTo("Idempotency-Key");
        assertThat(submit("x", "a b").field()).isEqualTo("Idempotency-Key");
        assertThat(submit("x", "ü").status()).isBetween(400, 422);
        assertThat(server.tasks()).isZero();
    }

    @Test
    void concurrentRequestsWithOneKeyCreateOneTask() throws Exception {
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var replies = new ArrayList<Future<TestHttpClient.Reply>>();
            for (int i = 0; i < 50; i++) {
                replies.add(callers.submit(() -> submit("once", "same")));
            }
            var ids = new TreeSet<Long>();
            int created = 0;
            for (var reply : replies) {
                ids.add(reply.get().json().get("id").asLong());
                created += reply.get().status() == 201 ? 1 : 0;
            }
            assertThat(ids).hasSize(1);
            assertThat(created).isEqualTo(1);
        }
        assertThat(server.tasks()).isEqualTo(1);
    }
}
