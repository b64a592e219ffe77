package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Logs that are too long, and logs with arbitrary bytes. */
@ExtendWith(ServerHarnessExtension.class)
final class LogFloodTest {

    private static final long CAP_MIB = 64;
    private static final long MIB = 1 << 20;

    /** Every line of a flood is a number of fifteen digits, so its number gives its offset. */
    private static final long FIRST = 100_000_000_000_000L;

    private static final int LINE_BYTES = 16;

    /** The limit for the server's memory during these tests. */
    private static final long GROWTH_KIB = 250 << 10;

    /** How much a fast log may exceed the cap between two checks. */
    private static final long OVERSHOOT_MIB = 512;

    private static final Set<String> LIVE = Set.of("queued", "running");

    @Test
    @Tag("slow")
    void aFloodStaysAtTheCapAndItsOffsetsStay(ServerHarness harness, TestReporter reporter)
            throws Exception {
        flood(harness, reporter, 2);
    }

    @Test
    @Tag("soak-flood")
    void aLongFloodStaysAtTheCapAndItsOffsetsStay(ServerHarness harness, TestReporter reporter)
            throws Exception {
        flood(harness, reporter, Long.getLong("berth.soak.gigabytes", 10));
    }

    private static void flood(ServerHarness harness, TestReporter reporter, long gigabytes)
            throws Exception {
        long lines = (gigabytes << 30) / LINE_BYTES;
        var api = harness.env("BERTH_LOG_CAP_MIB", Long.toString(CAP_MIB)).start();
        api.awaitEnd(api.submit(TaskBuilder.cpu("seq 1000")));
        long before = harness.server().residentKib();

        long id = api.submit(TaskBuilder.cpu("seq %d %d".formatted(FIRST, FIRST + lines - 1)));
        var log = harness.attempt(id, 1).resolve("tmux.log");
        long peak = 0;
        while (LIVE.contains(api.status(id))) {
            api.client().get("/api/tasks/" + id + "/wait?seconds=1").expect(200);
            api.log(id, 100);
            peak = Math.max(peak, Files.exists(log) ? diskMib(log) : 0);
        }

        reporter.publishEntry("peak_mib", Long.toString(peak));
        assertThat(api.status(id)).isEqualTo("completed");
        assertThat(diskMib(log)).isLessThanOrEqualTo(CAP_MIB + 2);
        assertThat(peak).isLessThanOrEqualTo(CAP_MIB + OVERSHOOT_MIB);
        assertThat(Files.size(log)).isGreaterThan(lines * LINE_BYTES);
        assertReadable(api, id, lines);
        assertThat(harness.server().residentKib() - before).isLessThan(GROWTH_KIB);
    }

    /** Head and tail are at their offsets, and a marker between them reports the gap. */
    private static void assertReadable(TestApi api, long id, long lines) {
        var head = from(api, id, 0);
        assertThat(head.getFirst()).isEqualTo("===== Scheduler Environment =====");
        assertThat(head).contains(Long.toString(FIRST));
        long base =
                head.subList(0, head.indexOf(Long.toString(FIRST))).stream()
                        .mapToLong(line -> line.getBytes(StandardCharsets.UTF_8).length + 1L)
                        .sum();
        for (long at : List.of(0L, 10L, lines - 10, lines - 1)) {
            assertThat(from(api, id, base + at * LINE_BYTES).getFirst())
                    .isEqualTo(Long.toString(FIRST + at));
        }
        assertThat(api.log(id, 1000)).contains(Long.toString(FIRST + lines - 1));

        var middle = piece(api, id, base + lines / 2 * LINE_BYTES);
        assertThat(TestApi.list(middle.path("lines")).getFirst().asString())
                .as("the note on what is missing")
                .doesNotMatch("\\d{15}")
                .containsPattern("\\d");
        long next = middle.path("next_offset").asLong();
        assertThat(next).isGreaterThan(base + lines / 2 * LINE_BYTES);
        long line = Math.ceilDiv(next - base, LINE_BYTES);
        assertThat(from(api, id, base + line * LINE_BYTES).getFirst())
                .isEqualTo(Long.toString(FIRST + line));
    }

    @Test
    @Tag("slow")
    void theEndOfAVeryLongLogIsReadInLittleMemory(ServerHarness harness) throws Exception {
        var api = harness.env("BERTH_LOG_CAP_MIB", "8192").start();
        // Short, but read in the same two ways: many lines, and one line without an end.
        long small = api.submit(TaskBuilder.cpu("seq 100000"));
        api.awaitEnd(small);
        readOften(api, small, 1000);
        long line = api.submit(TaskBuilder.cpu("head -c 9000000 /dev/zero | tr '\\0' x"));
        api.awaitEnd(line);
        readOften(api, line, 1000);
        // The memory that any reading needs is allocated by now.
        long before = harness.server().residentKib();
        long lines = (2L << 30) / LINE_BYTES;
        long many = api.submit(TaskBuilder.cpu("seq %d %d".formatted(FIRST, FIRST + lines - 1)));
        long one = api.submit(TaskBuilder.cpu("head -c 300000000 /dev/zero | tr '\\0' x"));
        for (long id : new long[] {many, one}) {
            assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
            readOften(api, id, 10 * MIB);
        }
        assertThat(api.log(many, 100)).contains(Long.toString(FIRST + lines - 1));
        assertThat(diskMib(harness.attempt(many, 1).resolve("tmux.log"))).isGreaterThan(2047);
        assertThat(harness.server().residentKib() - before).isLessThan(GROWTH_KIB);
    }

    private static void readOften(TestApi api, long id, long step) {
        for (int i = 0; i < 20; i++) {
            assertThat(api.log(id, 10_000)).isNotEmpty();
            assertThat(from(api, id, i * step)).isNotEmpty();
        }
    }

    @Test
    void whateverATaskPrintsIsAnsweredInValidJson(ServerHarness harness) {
        var api = harness.start();
        long id =
                api.submit(
                        TaskBuilder.cpu(
                                """
                                printf '\\xff\\xfe half \\xe4\\xbd a word\\n'
                                printf 'NUL \\0 and \\033[31mred\\033[0m\\n'
                                for i in {1..300}; do printf '\\r%3d%%|####|' $i; done; echo
                                printf 'x%.0s' {1..1000} | tr x é; echo
                                head -c 3000000 /dev/zero | tr '\\0' y; echo
                                head -c 100000 /dev/urandom; echo
                                echo the end
                                """));
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        for (var query :
                List.of("tail=1", "tail=5", "tail=10000", "from=0", "from=7", "from=3000000")) {
            var answer = api.client().get("/api/tasks/" + id + "/logs?" + query).expect(200);
            assertThat(answer.path("lines").isArray()).as(query).isTrue();
        }
        assertThat(api.log(id, 10_000)).contains("the end").anyMatch(line -> line.contains("half"));
    }

    private static List<String> from(TestApi api, long id, long offset) {
        return TestApi.list(piece(api, id, offset).path("lines")).stream()
                .map(JsonNode::asString)
                .toList();
    }

    private static JsonNode piece(TestApi api, long id, long offset) {
        return api.client().get("/api/tasks/" + id + "/logs?from=" + offset).expect(200);
    }

    /** The allocated size of a file on disk. */
    private static long diskMib(Path file) throws IOException, InterruptedException {
        var stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        var blocks =
                new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(stat.waitFor()).isZero();
        return Long.parseLong(blocks) * 512 / MIB;
    }
}
