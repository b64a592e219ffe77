package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.port.StoreFailure;
import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory;
import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Resolution;
import dev.berth.testkit.HistoryContract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

class SqliteHistoryTest extends HistoryContract {

    private static final int HOUR = 60;
    private static final int DAY = 24 * HOUR;

    @TempDir private Path home;
    private Path file;
    private SqliteHistory history;

    @BeforeEach
    void open() throws Exception {
        file = home.resolve("history.db");
        history = SqliteHistory.open(file);
    }

    @AfterEach
    void close() {
        history.close();
    }

    @Override
    protected SampleHistory history() {
        return history;
    }

    @Test
    void secondsAreKeptForOneHourAndMinutesForLonger() throws Exception {
        for (int minute = 0; minute < 2 * HOUR + 10; minute++) {
            int number = minute;
            history.save(IntStream.range(0, 4).mapToObj(i -> busyMinute(card(i), number)).toList());
        }

        for (int index = 0; index < 4; index++) {
            var seconds = read(card(index), Resolution.SECOND, 0, 130 * 60);
            assertThat(seconds.getFirst().at()).isBetween(NOON + 66 * 60, NOON + 70 * 60);
            assertThat(seconds.getLast().at()).isEqualTo(NOON + 130 * 60 - 1);
            assertThat(read(card(index), Resolution.MINUTE, 0, 130 * 60))
                    .containsExactlyElementsOf(wholes(index, 0, 130));
            assertThat(read(card(index), Resolution.HOUR, 0, 130 * 60))
                    .containsExactly(
                            hour(index, 0, 60), hour(index, 60, 120), hour(index, 120, 130));
        }
    }

    @Test
    void samplesFromTheEndOfAnHourAndADayAreReadCorrectly() throws Exception {
        for (int minute = 11 * HOUR + 57; minute < 12 * HOUR + 2; minute++) {
            history.save(List.of(busyMinute(minute)));
        }

        int end = 13 * HOUR * 60;
        assertThat(read(CARD, Resolution.MINUTE, 0, end))
                .containsExactlyElementsOf(wholes(0, 11 * HOUR + 57, 12 * HOUR + 2));
        var first = hour(0, 11 * HOUR + 57, 12 * HOUR);
        var whole =
                new Point(
                        NOON + 11 * HOUR * 60, first.memoryMib(), first.percent(), first.celsius());
        assertThat(read(CARD, Resolution.HOUR, 0, end))
                .containsExactly(whole, hour(0, 12 * HOUR, 12 * HOUR + 2));
    }

    @Test
    void aRestartWithinAMinuteNeitherLosesNorDoublesIt() throws Exception {
        for (int minute = 0; minute < 100; minute++) {
            history.save(List.of(busyMinute(minute)));
            if (minute % 33 == 0) {
                history.close();
                history = SqliteHistory.open(file);
                history.save(List.of(busyMinute(minute)));
            }
        }

        assertThat(read(CARD, Resolution.MINUTE, 0, 6000))
                .containsExactlyElementsOf(wholes(0, 0, 100));
        assertThat(read(CARD, Resolution.HOUR, 0, 6000))
                .containsExactly(hour(0, 0, 60), hour(0, 60, 100));
    }

    @Test
    void afterALongPauseSamplesAreAggregatedBeforeTheyAreDeleted() throws Exception {
        for (int minute = 0; minute < 59; minute++) {
            history.save(List.of(busyMinute(minute)));
        }
        history.close();
        history = SqliteHistory.open(file);
        for (int minute = 0; minute < 30; minute++) {
            history.save(List.of(busyMinute(3 * DAY + minute)));
        }

        assertThat(count("second WHERE minute < " + (MinuteSamples.numberAt(NOON) + 60))).isZero();
        assertThat(read(CARD, Resolution.MINUTE, 0, 3600))
                .containsExactlyElementsOf(wholes(0, 0, 59));
        assertThat(read(CARD, Resolution.HOUR, 0, 3600)).containsExactly(hour(0, 0, 59));
    }

    @Test
    void minutesAreDeletedAfterAWeekAndHoursWithTheirSubjectsAfterAYear() throws Exception {
        history.save(List.of(busyMinute(card(9), 0)));
        for (int hour = 0; hour < 400 * 24; hour += 5) {
            history.save(List.of(busyMinute(hour * HOUR)));
        }

        long end = 400L * DAY * 60;
        var minutes = read(CARD, Resolution.MINUTE, end - 30L * DAY * 60, end);
        assertThat(minutes.getFirst().at())
                .isBetween(NOON + end - 8 * 86_400, NOON + end - 6 * 86_400);
        var hours = read(CARD, Resolution.HOUR, 0, end);
        assertThat(hours.getFirst().at())
                .isBetween(NOON + end - 369 * 86_400, NOON + end - 364 * 86_400);
        assertThat(count("subject")).isEqualTo(1);
    }

    @Test
    void aWrongClockDoesNotDeleteTheHistory() throws Exception {
        for (int minute = 0; minute < 6 * HOUR; minute++) {
            history.save(List.of(busyMinute(minute)));
        }
        history.save(List.of(busyMinute(1000 * DAY)));
        history.save(List.of(busyMinute(6 * HOUR)));

        assertThat(read(CARD, Resolution.MINUTE, 0, 7 * 3600))
                .containsExactlyElementsOf(wholes(0, 3 * HOUR, 6 * HOUR + 1));
        assertThat(read(CARD, Resolution.SECOND, 310 * 60, 361 * 60)).hasSize(51 * 60);
    }

    @Test
    void theFileStopsGrowing() throws Exception {
        long pages = 0;
        for (int minute = 0; minute < 12 * HOUR; minute++) {
            int number = minute;
            history.save(
                    IntStream.range(0, 16).mapToObj(i -> busyMinute(card(i), number)).toList());
            if (minute == 3 * HOUR) {
                pages = pages();
            }
        }

        // Nine more hours of minutes for 16 GPUs, three per page, and no more seconds.
        assertThat(pages() - pages).isPositive().isLessThan(9 * 16 / 3);
    }

    @Test
    void theFileIsReadableByItsOwnerOnlyAndNotSyncedAtEveryCommit() throws Exception {
        history.save(List.of(busyMinute(0)));

        for (var suffix : new String[] {"", "-wal", "-shm"}) {
            var path = home.resolve("history.db" + suffix);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
        }
        try (var writer = HistoryFile.open(file).openWriter();
                var row = writer.prepared("PRAGMA synchronous").query()) {
            assertThat(row.next()).isTrue();
            assertThat(row.number(row.column("synchronous"))).isEqualTo(1);
        }
    }

    @Test
    void aFileThatIsNoHistoryIsRefusedAndNotChanged() throws Exception {
        var text = Files.writeString(home.resolve("text.db"), "no database ".repeat(500));
        var newer = home.resolve("newer.db");
        SqliteHistory.open(newer).close();
        sql(newer, "PRAGMA user_version = 9");
        var foreign = home.resolve("foreign.db");
        sql(foreign, "CREATE TABLE diary (day TEXT)");

        for (var wrong : List.of(text, newer, foreign, home.resolve("missing/history.db"))) {
            byte[] before = Files.exists(wrong) ? Files.readAllBytes(wrong) : new byte[0];
            assertThatExceptionOfType(StoreFailure.class)
                    .isThrownBy(() -> SqliteHistory.open(wrong))
                    .withMessageContaining(wrong.toString());
            assertThat(Files.exists(wrong) ? Files.readAllBytes(wrong) : new byte[0])
                    .isEqualTo(before);
        }
    }

    @Test
    void aDamagedFileIsReportedAsStoreFailure() throws Exception {
        history.save(IntStream.range(0, 300).mapToObj(i -> busyMinute(card(i), 0)).toList());
        history.close();
        var bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, 4096, bytes.length, (byte) 0xa5);
        Files.write(file, bytes);
        history = SqliteHistory.open(file);

        assertThatExceptionOfType(StoreFailure.class)
                .isThrownBy(() -> history.save(List.of(busyMinute(1))));
        assertThatExceptionOfType(StoreFailure.class)
                .isThrownBy(() -> read(CARD, Resolution.MINUTE, 0, 3600));
    }

    private static List<Point> wholes(int card, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(minute -> busyMinute(card(card), minute).total())
                .toList();
    }

    private static Point hour(int card, int from, int to) {
        return wholes(card, from, to).stream().reduce(Point::plus).orElseThrow();
    }

    private long pages() throws Exception {
        return number("PRAGMA page_count");
    }

    private long count(String table) throws Exception {
        return number("SELECT count(*) FROM " + table);
    }

    private long number(String query) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = connection.createStatement();
                var result = statement.executeQuery(query)) {
            return result.getLong(1);
        }
    }

    private static void sql(Path file, String statement) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection.createStatement().executeUpdate(statement);
        }
    }
}
