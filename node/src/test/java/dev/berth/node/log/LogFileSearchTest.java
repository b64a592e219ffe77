package dev.berth.node.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.port.read.LogFiles.LogMatch;
import dev.berth.port.read.LogFiles.LogMatches;
import dev.berth.port.read.LogFiles.LogSearch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Search in whole logs, and reading anywhere in them. */
class LogFileSearchTest {

    @TempDir Path directory;

    @Test
    void findsLinesWithNumbersAndOffsetsWithoutRegardToCase() throws Exception {
        var log = log("first\nAn ERROR here: error\n\nnothing\nlast Error");
        var found = search(log, "error", 0, 10);
        assertThat(found.total()).isEqualTo(2);
        assertThat(found.matches())
                .containsExactly(
                        new LogMatch(2, 6, "An ERROR here: error"),
                        new LogMatch(5, 36, "last Error"));
        assertThat(search(log, "é", 0, 10).total()).isZero();
        assertThat(search(directory.resolve("none"), "x", 0, 10).total()).isZero();
    }

    @Test
    void agreesWithASimpleSearchOnRandomLogsLongerThanAPiece() throws Exception {
        for (long seed = 1; seed <= 4; seed++) {
            var random = new Random(seed);
            var text = new StringBuilder();
            while (text.length() < 2_500_000) {
                text.append("abAB".repeat(random.nextInt(30)));
                if (random.nextInt(4) == 0) {
                    text.append("Needle");
                }
                if (random.nextInt(50) == 0) {
                    text.append("x".repeat(random.nextInt(3000)));
                }
                text.append('\n');
            }
            var log = log(text.toString());
            for (var word : List.of("needle", "baN", "xx")) {
                var expected = simple(text.toString(), word);
                assertThat(places(search(log, word, 0, Integer.MAX_VALUE)))
                        .as("seed %d word %s", seed, word)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void findsAMatchInALineLongerThanAPiece() throws Exception {
        var log =
                log(
                        "one\n"
                                + "x".repeat((1 << 18) - 3)
                                + "needle"
                                + "y".repeat(3 << 20)
                                + "\nneedle\n");
        assertThat(search(log, "needle", 0, 10).matches())
                .extracting(LogMatch::line)
                .containsExactly(2L, 3L);
    }

    @Test
    void pagesForwardAndBackwardWithTheNumberOfMatchesBefore() throws Exception {
        var log = log("hit\n".repeat(1000));
        var middle = search(log, "hit", 2000, 3);
        assertThat(middle.total()).isEqualTo(1000);
        assertThat(middle.first()).isEqualTo(500);
        assertThat(middle.matches()).extracting(LogMatch::line).containsExactly(501L, 502L, 503L);
        var last = LogFileSearch.of(log, new LogSearch("hit", 0, OptionalLong.of(4000), 2));
        assertThat(last.first()).isEqualTo(998);
        assertThat(last.matches()).extracting(LogMatch::line).containsExactly(999L, 1000L);
    }

    @Test
    void whatAProgressBarHasOverwrittenIsNotFound() throws Exception {
        var log = log("10% slow\r20% fast\r\n30% slow\r\n");
        assertThat(search(log, "slow", 0, 10).matches())
                .extracting(LogMatch::line)
                .containsExactly(2L);
        assertThat(search(log, "fast", 0, 10).total()).isEqualTo(1);
    }

    @Test
    void removedBytesAreOneLine() throws Exception {
        var log = log("head hit\n" + "\0".repeat(1000) + "tail hit\n");
        new GapList(List.of(new Gap(9, 1009))).write(log);
        assertThat(search(log, "hit", 0, 10).matches())
                .containsExactly(new LogMatch(1, 0, "head hit"), new LogMatch(3, 1009, "tail hit"));
        var out = new ByteArrayOutputStream();
        LogParts.copy(log, out::writeBytes);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        "head hit\n\n[... 1,000 bytes dropped to keep the log under its cap ...]\n"
                                + "tail hit\n");
    }

    @Test
    void aLongLineIsShownAroundTheMatch() throws Exception {
        var log = log("a".repeat(5000) + " the needle " + "b".repeat(5000) + "\n");
        assertThat(search(log, "needle", 0, 1).matches().getFirst().text())
                .contains("the needle")
                .hasSize(300);
    }

    @Test
    void readsBackwardAndForwardToAllLines() throws Exception {
        var lines = IntStream.range(0, 60_000).mapToObj(i -> "line " + i).toList();
        var log = log(String.join("\n", lines) + "\n");
        long size = Files.size(log);
        var backward = new ArrayList<String>();
        long at = Long.MAX_VALUE;
        while (at > 0) {
            var part = LogParts.before(log, at);
            assertThat(part.size()).isEqualTo(size);
            backward.addAll(0, part.lines());
            at = part.start();
        }
        assertThat(backward).isEqualTo(lines);
        var forward = new ArrayList<String>();
        for (long next = 0; next < size; ) {
            var part = LogParts.from(log, next);
            forward.addAll(part.lines());
            next = part.next();
        }
        assertThat(forward).isEqualTo(lines);
    }

    @Test
    void anUnfinishedLastLineIsMarked() throws Exception {
        var log = log("one\ntwo");
        var end = LogParts.before(log, Long.MAX_VALUE);
        assertThat(end.lines()).containsExactly("one", "two");
        assertThat(end.isPartial()).isTrue();
        assertThat(end.next()).isEqualTo(4);
        var rest = LogParts.from(log, 4);
        assertThat(rest.lines()).containsExactly("two");
        assertThat(rest.isPartial()).isTrue();
        assertThat(rest.next()).isEqualTo(4);
    }

    private Path log(String text) throws IOException {
        return Files.writeString(directory.resolve("tmux.log"), text);
    }

    private static LogMatches search(Path log, String text, long from, int limit)
            throws IOException {
        return LogFileSearch.of(log, new LogSearch(text, from, OptionalLong.empty(), limit));
    }

    private static List<String> places(LogMatches found) {
        return found.matches().stream().map(one -> one.line() + "@" + one.offset()).toList();
    }

    private static List<String> simple(String text, String word) {
        var found = new ArrayList<String>();
        long offset = 0;
        var lines = text.lines().collect(Collectors.toList());
        for (int i = 0; i < lines.size(); i++) {
            var line = lines.get(i).toLowerCase(Locale.ROOT);
            if (line.contains(word.toLowerCase(Locale.ROOT))) {
                found.add((i + 1) + "@" + offset);
            }
            offset += line.length() + 1;
        }
        return found;
    }
}
