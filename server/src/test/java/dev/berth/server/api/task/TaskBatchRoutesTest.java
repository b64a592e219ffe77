package dev.berth.server.api.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

class TaskBatchRoutesTest {

    private static final String GOOD = "{\"name\":\"n\",\"command\":\"true\"}";

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private TestHttpClient.Reply post(String body, String... headers) {
        return server.socket().post("/api/tasks/batch", body, headers);
    }

    private static String tasks(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> TestServer.cpuTask("t" + i))
                .collect(Collectors.joining(",", "[", "]"));
    }

    @Test
    void submitsAThousandTasksInOrder() {
        server.submit(TestServer.cpuTask("before"));
        var reply = post(tasks(1000));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        var ids = reply.json().get("ids").valueStream().map(id -> id.asLong()).toList();
        assertThat(ids).hasSize(1000).isSorted();
        assertThat(ids.getFirst()).isEqualTo(2);
        assertThat(ids.getLast()).isEqualTo(1001);
        assertThat(server.show(2).get("name").asString()).isEqualTo("t0");
        assertThat(server.show(1001).get("name").asString()).isEqualTo("t999");
        assertThat(server.tasks()).isEqualTo(1001);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1001})
    void rejectsEmptyAndTooLargeBatches(int count) {
        var reply = post(tasks(count));
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.code()).isEqualTo("batch.size");
        assertThat(reply.json().get("detail").asString())
                .contains("1 to 1000")
                .contains("" + count);
        assertThat(server.tasks()).isZero();
    }

    @Test
    void oneInvalidTaskRejectsTheBatchWithItsIndex() {
        var reply = post("[" + GOOD + "," + GOOD + ",{\"name\":\"n\"}]");
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo("[2].command");
        var range = post("[" + GOOD + "," + with("\"gpu_count\":\"4-2\"") + "]");
        assertThat(range.status()).isEqualTo(422);
        assertThat(range.field()).isEqualTo("[1].gpu_count");
        assertThat(server.tasks()).isZero();
    }

    /** Violations that only the engine can detect. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"[1].gpu_count|2", "[0].gpu_count|1"})
    void oneThatCanNeverStartLeavesNoneAndIsNamedByItsPlace(String field, int count) {
        var reply = post("[" + (GOOD + ",").repeat(count - 1) + with("\"gpu_count\":3") + "]");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.field()).isEqualTo(field);
        assertThat(server.tasks()).isZero();
    }

    private static String with(String field) {
        return "{\"name\":\"n\",\"command\":\"true\"," + field + "}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"{}|400|", "\"x\"|400|", "[|400|", "[1]|422|[0]", "[{},null]|422|[1]"})
    void whatIsNoListOfTasksIsRefused(String body, int status, String field) {
        var reply = post(body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.field()).isEqualTo(field == null ? "" : field);
        assertThat(server.tasks()).isZero();
    }

    @Test
    void keyErrorsAreNotReportedForATask() {
        post(tasks(1), "Idempotency-Key: k");
        var reused = post(tasks(2), "Idempotency-Key: k");
        assertThat(reused.field()).isEqualTo("Idempotency-Key");
        var single = post("[" + GOOD + "]", "Idempotency-Key: k");
        assertThat(single.field()).isEqualTo("Idempotency-Key");
    }

    @Test
    void repeatedBatchWithTheSameKeyIsSubmittedOnce() {
        var first = post(tasks(3), "Idempotency-Key: k");
        var second = post(tasks(3), "Idempotency-Key: k");
        assertThat(first.status()).isEqualTo(201);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.json()).isEqualTo(first.json());
        assertThat(post(tasks(2), "Idempotency-Key: k").status()).isEqualTo(422);
        assertThat(server.tasks()).isEqualTo(3);
    }

    @Test
    void acceptsDraftsAndQueuedTasksTogether() {
        var ids = post("[" + with("\"draft\":true") + "," + GOOD + "]").json().get("ids");
        assertThat(server.show(ids.get(0).asLong()).get("status").asString()).isEqualTo("pending");
        assertThat(server.show(ids.get(1).asLong()).get("status").asString()).isEqualTo("running");
    }
}
