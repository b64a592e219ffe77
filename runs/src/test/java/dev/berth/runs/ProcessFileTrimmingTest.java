package dev.berth.runs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;

class ProcessFileTrimmingTest {

    private static final int MANY = 10_000;
    private static final long FIRST =
            ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse("2025-11-15T08:00:00Z"));

    private static final String NOTE = "n".repeat(400);

    private final ObjectNode tree = JsonNodeFactory.instance.objectNode();

    private static String uniId(int number, int retry) {
        return Long.toString(FIRST + number, 36) + "_" + retry;
    }

    private ObjectNode put(String uniId, String state) {
        int retry = Integer.parseInt(uniId.substring(uniId.indexOf('_') + 1));
        return tree.putObject(uniId).put("pid", 1).put("state", state).put("retry_count", retry);
    }

    private int size() {
        return ProcessFileContent.of(tree).bytes().length;
    }

    /** Newest first, so that the position in the file has no meaning. */
    private void fill() {
        for (int number = MANY; number > 0; number--) {
            put(uniId(number, 0), "normal_exit").put("note", NOTE);
        }
        assertThat(size()).isGreaterThan(ProcessFileTrimming.MAX_BYTES);
    }

    @Test
    void removesTheOldestEndedRecordsUntilTheFileFits() {
        fill();
        put(uniId(1, 1), "abnormal_exit");

        int leftOut = ProcessFileTrimming.trim(tree, Set::of);

        assertThat(size())
                .isLessThan(ProcessFileTrimming.MAX_BYTES)
                .isGreaterThan(ProcessFileTrimming.MAX_BYTES / 4 * 3);
        assertThat(tree.size()).isEqualTo(MANY + 1 - leftOut);
        assertThat(tree.has(uniId(1, 1))).isFalse();
        // The first task had two tries.
        assertThat(tree.has(uniId(leftOut - 1, 0))).isFalse();
        assertThat(tree.has(uniId(leftOut, 0))).isTrue();
    }

    @Test
    void aSmallFileIsNotChanged() {
        put(uniId(1, 0), "normal_exit");

        assertThat(ProcessFileTrimming.trim(tree, Set::of)).isZero();

        assertThat(tree.has(uniId(1, 0))).isTrue();
    }

    @Test
    void keepsRunningLiveAndForeignRecords() {
        fill();
        put(uniId(-1, 0), "normal_exit");
        put(uniId(-2, 0), "running");
        put("training_0", "normal_exit");
        put("generation_0", "normal_exit").remove("retry_count");
        put("production_0", "normal_exit");
        tree.putObject("theirs").put("state", "normal_exit");
        tree.put(uniId(-3, 0), "normal_exit");

        ProcessFileTrimming.trim(tree, () -> Set.of(uniId(-1, 0)));

        assertThat(tree.has(uniId(1, 0))).isFalse();
        assertThat(tree.propertyNames())
                .contains(
                        uniId(-1, 0),
                        uniId(-2, 0),
                        uniId(-3, 0),
                        "training_0",
                        "generation_0",
                        "production_0",
                        "theirs");
    }

    @Test
    void theFileMayExceedTheLimitIfNothingCanBeRemoved() {
        tree.put("theirs", "x".repeat(ProcessFileTrimming.MAX_BYTES));
        put(uniId(1, 0), "running");

        assertThat(ProcessFileTrimming.trim(tree, Set::of)).isZero();

        assertThat(tree.size()).isEqualTo(2);
    }
}
