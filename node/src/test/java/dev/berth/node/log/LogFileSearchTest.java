package dev.berth.node.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.port.read.LogFiles.LogBounds;
import dev.berth.port.read.LogFiles.LogMatch;
import dev.berth.port.read.LogFiles.LogMatches;
import dev.berth.port.read.LogFiles.LogPage;
import dev.berth.port.read.LogFiles.LogSearch;
import dev.berth.port.read.TaskLogs.LogPart;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
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

    private static final String FIRST =
            "===== Scheduler Environment =====\nPATH: /bin\nPython on PATH: /bin/python\n";
    private static final String EXIT =
            "===== Command Script Exit =====\nPATH: /bin\npython -> not found\n";

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
        var last =
                LogFileSearch.of(
                        log, LogPart.WHOLE, new LogSearch("hit", 0, OptionalLong.of(4000), 2));
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
    }

    @Test
    void aLineThatRemovedBytesCutOffIsALine() throws Exception {
        var log = log("head\ncut" + "\0".repeat(1000) + "off\ntail hit\n");
        new GapList(List.of(new Gap(8, 1008))).write(log);
        var lines = new ArrayList<String>();
        for (long at = 0; at < Files.size(log); ) {
            var page = LogPages.from(log, LogPart.WHOLE, at);
            lines.addAll(page.lines());
            at = page.next();
        }
        assertThat(lines).hasSize(5).endsWith("off", "tail hit");
        assertThat(search(log, "hit", 0, 10).matches().getFirst().line()).isEqualTo(5);
    }

    @Test
    void theOutputBeginsWithLineOne() throws Exception {
        var log = log(FIRST + "one PATH\ntwo\n" + EXIT);
        long begin = FIRST.length();
        long end = begin + "one PATH\ntwo\n".length();
        var search = new LogSearch("path", 0, OptionalLong.empty(), 10);
        assertThat(LogFileSearch.of(log, LogPart.OUTPUT, search).matches())
                .containsExactly(new LogMatch(1, begin, "one PATH"));
        assertThat(LogFileSearch.of(log, LogPart.WHOLE, search).matches())
                .extracting(LogMatch::line)
                .containsExactly(2L, 3L, 4L, 7L);

        var bounds = new LogBounds(begin, end, Files.size(log));
        for (long offset : List.of(end, end + 5, Long.MAX_VALUE)) {
            assertThat(LogPages.before(log, LogPart.OUTPUT, offset))
                    .isEqualTo(new LogPage(bounds, begin, List.of("one PATH", "two"), end, false));
        }
        for (long offset : List.of(0L, 7L, begin)) {
            assertThat(LogPages.from(log, LogPart.OUTPUT, offset))
                    .isEqualTo(new LogPage(bounds, begin, List.of("one PATH", "two"), end, false));
            assertThat(LogPages.before(log, LogPart.OUTPUT, offset))
                    .isEqualTo(new LogPage(bounds, begin, List.of(), begin, false));
        }
        assertThat(LogPages.from(log, LogPart.OUTPUT, end).lines()).isEmpty();
        assertThat(LogPages.from(log, LogPart.OUTPUT, end + 3).lines()).isEmpty();
        assertThat(LogPages.before(log, LogPart.WHOLE, end).start()).isZero();
    }

    @Test
    void pagesAroundRemovedBytesStayInTheOutput() throws Exception {
        var log = log(FIRST + "head\n" + "\0".repeat(1000) + "tail\n" + EXIT);
        long gap = FIRST.length() + 5L;
        new GapList(List.of(new Gap(gap, gap + 1000))).write(log);
        var lines = new ArrayList<String>();
        long at = Long.MAX_VALUE;
        while (at > FIRST.length()) {
            var page = LogPages.before(log, LogPart.OUTPUT, at);
            lines.addAll(0, page.lines());
            at = page.start();
        }
        assertThat(lines).hasSize(3).startsWith("head").endsWith("tail");
        assertThat(at).isEqualTo(FIRST.length());
        var search = new LogSearch("tail", 0, OptionalLong.empty(), 10);
        assertThat(LogFileSearch.of(log, LogPart.OUTPUT, search).matches())
                .containsExactly(new LogMatch(3, gap + 1000, "tail"));
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
            var page = LogPages.before(log, LogPart.WHOLE, at);
            assertThat(page.bounds().size()).isEqualTo(size);
            backward.addAll(0, page.lines());
            at = page.start();
        }
        assertThat(backward).isEqualTo(lines);
        var forward = new ArrayList<String>();
        for (long next = 0; next < size; ) {
            var page = LogPages.from(log, LogPart.WHOLE, next);
            forward.addAll(page.lines());
            next = page.next();
        }
        assertThat(forward).isEqualTo(lines);
    }

    @Test
    void anUnfinishedLastLineIsMarked() throws Exception {
        var log = log("one\ntwo");
        var end = LogPages.before(log, LogPart.WHOLE, Long.MAX_VALUE);
        assertThat(end.lines()).containsExactly("one", "two");
        assertThat(end.isPartial()).isTrue();
        assertThat(end.next()).isEqualTo(4);
        var rest = LogPages.from(log, LogPart.WHOLE, 4);
        assertThat(rest.lines()).containsExactly("two");
        assertThat(rest.isPartial()).isTrue();
        assertThat(rest.next()).isEqualTo(4);
    }

    private Path log(String text) throws IOException {
        return Files.writeString(directory.resolve("tmux.log"), text);
    }

    private static LogMatches search(Path log, String text, long from, int limit)
            throws IOException {
        return LogFileSearch.of(
                log, LogPart.WHOLE, new LogSearch(text, from, OptionalLong.empty(), limit));
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
