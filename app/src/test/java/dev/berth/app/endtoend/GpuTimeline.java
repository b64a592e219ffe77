package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which task was on which GPU and when, as the tasks record it: each appends one line at its start
 * and one at its end. A line is a single write to a file opened for append, so lines of several
 * tasks never mix.
 */
record GpuTimeline(Path file) {

    private record Line(
            String word, String task, String attempt, List<String> cards, BigDecimal at) {}

    private record Stay(String task, BigDecimal from, BigDecimal to) {}

    /** A task that records its times around {@code work}. */
    TaskBuilder recordedTask(String name, int cards, String work) {
        var note =
                "echo \"%s "
                        + name
                        + " $BERTH_ATTEMPT [$CUDA_VISIBLE_DEVICES] ${EPOCHREALTIME/,/.}\" >> "
                        + file;
        return TaskBuilder.gpus(
                        cards, note.formatted("start") + "\n" + work + "\n" + note.formatted("end"))
                .named(name);
    }

    /** The number of starts of each task. */
    Map<String, Integer> starts() {
        return count("start");
    }

    Map<String, Integer> ends() {
        return count("end");
    }

    private Map<String, Integer> count(String word) {
        var counts = new TreeMap<String, Integer>();
        lines().stream()
                .filter(line -> line.word().equals(word))
                .forEach(line -> counts.merge(line.task(), 1, Integer::sum));
        return counts;
    }

    void assertNoAttemptRanTwice() {
        assertThat(lines().stream().filter(line -> line.word().equals("start")).map(Line::attempt))
                .as("attempts that started")
                .doesNotHaveDuplicates();
    }

    void assertNoTwoTasksWereOnOneGpu() {
        stays().forEach(
                        (card, stays) -> {
                            stays.sort(Comparator.comparing(Stay::from));
                            for (int i = 1; i < stays.size(); i++) {
                                var before = stays.get(i - 1);
                                var after = stays.get(i);
                                assertThat(after.from())
                                        .as("card %s: %s comes after %s", card, after, before)
                                        .isGreaterThanOrEqualTo(before.to());
                            }
                        });
    }

    private Map<String, List<Stay>> stays() {
        var open = new HashMap<String, Line>();
        var stays = new TreeMap<String, List<Stay>>();
        for (var line : lines()) {
            if (line.word().equals("start")) {
                open.put(line.attempt(), line);
                continue;
            }
            var start = open.remove(line.attempt());
            assertThat(start).as("the start of %s", line).isNotNull();
            for (var card : line.cards()) {
                stays.computeIfAbsent(card, _ -> new ArrayList<>())
                        .add(new Stay(line.task(), start.at(), line.at()));
            }
        }
        assertThat(open).as("attempts that started and never ended").isEmpty();
        return stays;
    }

    private List<Line> lines() {
        if (!Files.exists(file)) {
            return List.of();
        }
        try {
            return Files.readAllLines(file).stream().map(GpuTimeline::parsed).toList();
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + file, e);
        }
    }

    private static Line parsed(String text) {
        var words = text.split(" ");
        assertThat(words).as("the words of \"%s\"", text).hasSize(5);
        var cards = words[3].substring(1, words[3].length() - 1);
        return new Line(
                words[0],
                words[1],
                words[2],
                cards.isEmpty() ? List.of() : List.of(cards.split(",")),
                new BigDecimal(words[4]));
    }
}
