package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which attempt was on which GPU of which node and when, as the tasks of a cluster record it. An
 * attempt that Slurm ended has no end here.
 */
record SlurmTimeline(Path file) {

    private record Line(
            String word, String task, String attempt, List<String> gpus, BigDecimal at) {}

    private record Stay(String attempt, BigDecimal from, BigDecimal to) {}

    /** A task that records its times around {@code work} and ends with a code. */
    TaskBuilder recordedTask(String name, int gpus, String work, int code) {
        var note =
                "echo \"%s "
                        + name
                        + " $BERTH_ATTEMPT $SLURMD_NODENAME [$SLURM_JOB_GPUS]"
                        + " ${EPOCHREALTIME/,/.}\" >> "
                        + file;
        return TaskBuilder.gpus(
                        gpus,
                        note.formatted("start")
                                + "\n"
                                + work
                                + "\n"
                                + note.formatted("end")
                                + "\nexit "
                                + code)
                .named(name);
    }

    private List<Line> lines() {
        try {
            return Files.readAllLines(file).stream().map(SlurmTimeline::parse).toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Line parse(String text) {
        var words = text.split(" ");
        var gpus = new ArrayList<String>();
        for (var gpu : words[4].substring(1, words[4].length() - 1).split(",")) {
            if (!gpu.isEmpty()) {
                gpus.add(words[3] + ":" + gpu);
            }
        }
        return new Line(words[0], words[1], words[2], gpus, new BigDecimal(words[5]));
    }

    /** Waits for the end of all tasks, each with its exit code. */
    void assertAllEndedOnce(TestApi api, Map<Long, Integer> codes) {
        codes.forEach(
                (id, code) -> {
                    var task = api.awaitEnd(id);
                    assertThat(task.path("status").asString())
                            .as("%s", task)
                            .isEqualTo(code == 0 ? "completed" : "failed");
                    assertThat(task.path("exit_code").asInt()).as("%s", task).isEqualTo(code);
                });
        assertNoAttemptRanTwice();
        assertNoOverlap();
        assertThat(ends()).hasSameSizeAs(codes);
        assertThat(ends().values()).as("ends of each task").allMatch(count -> count == 1);
    }

    private void assertNoAttemptRanTwice() {
        assertThat(lines().stream().filter(line -> line.word().equals("start")).map(Line::attempt))
                .as("attempts that started")
                .doesNotHaveDuplicates();
    }

    /** The number of ends of each task. */
    private Map<String, Integer> ends() {
        var counts = new TreeMap<String, Integer>();
        lines().stream()
                .filter(line -> line.word().equals("end"))
                .forEach(line -> counts.merge(line.task(), 1, Integer::sum));
        return counts;
    }

    /** Attempts that began and did not reach their end. */
    long interrupted() {
        return lines().stream().filter(line -> line.word().equals("start")).count()
                - lines().stream().filter(line -> line.word().equals("end")).count();
    }

    private void assertNoOverlap() {
        var stays = new TreeMap<String, List<Stay>>();
        var open = new TreeMap<String, Line>();
        for (var line : lines()) {
            if (line.word().equals("start")) {
                open.put(line.attempt(), line);
            } else {
                var start = open.remove(line.attempt());
                var stay = new Stay(line.attempt(), start.at(), line.at());
                stays.computeIfAbsent("task " + line.task(), _ -> new ArrayList<>()).add(stay);
                line.gpus()
                        .forEach(
                                gpu ->
                                        stays.computeIfAbsent(gpu, _ -> new ArrayList<>())
                                                .add(stay));
            }
        }
        stays.forEach(
                (what, all) -> {
                    all.sort(Comparator.comparing(Stay::from));
                    for (int i = 1; i < all.size(); i++) {
                        assertThat(all.get(i).from())
                                .as("%s: %s comes after %s", what, all.get(i), all.get(i - 1))
                                .isGreaterThanOrEqualTo(all.get(i - 1).to());
                    }
                });
    }
}
