package dev.berth.cli.command;

import dev.berth.cli.text.Age;
import dev.berth.cli.text.Paint;
import dev.berth.cli.text.Table;
import dev.berth.cli.text.Table.Cell;
import dev.berth.cli.text.Table.Kind;
import dev.berth.cli.text.Tenths;
import dev.berth.wire.UsageLine;
import dev.berth.wire.UsageReport;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A line for each user, who had most first, and one for all together. */
final class UsageTable {

    private static final String TOTAL = "total";

    /** From here on cards are put to good use, in percent. */
    private static final double WELL = 60;

    private static final double BADLY = 30;

    private final List<UsageLine> lines;

    UsageTable(UsageReport report) {
        lines = new ArrayList<>(report.users());
        lines.add(report.total());
    }

    /** The lines, each ended; {@code width} 0 means that there is no limit. */
    String render(int width, boolean colours) {
        Table table = new Table();
        table.add("USER", Kind.SHRINKS, cells(UsageTable::user));
        table.add("GPU-HOURS", Kind.RIGHT, cells(line -> plain(hours(line.gpuHours()))));
        table.add("TASKS", Kind.RIGHT, cells(line -> count(line.tasks())));
        table.add("COMPLETED", Kind.RIGHT, cells(line -> some(line.completed())));
        table.add("FAILED", Kind.RIGHT, cells(line -> some(line.failed())));
        table.add("CANCELLED", Kind.RIGHT, cells(line -> some(line.cancelled())));
        table.add("WAIT", Kind.RIGHT, cells(line -> wait(line.waitMeanSeconds())));
        table.add("WAIT P95", Kind.RIGHT, cells(line -> wait(line.waitP95Seconds())));
        table.add("LOAD", Kind.RIGHT, cells(line -> percent(line.utilizationMean(), 1)));
        table.add("MEMORY USED", Kind.RIGHT, cells(UsageTable::memory));
        return table.render(width, colours);
    }

    /** In a new home an hour is much. */
    private static String hours(double hours) {
        long hundredths = Math.round(hours * 100);
        return hundredths < 10 && hundredths > 0 ? "0.0" + hundredths : Tenths.of(hours);
    }

    private List<Cell> cells(Function<UsageLine, Cell> cell) {
        List<Cell> cells = new ArrayList<>();
        for (UsageLine line : lines) {
            cells.add(cell.apply(line));
        }
        return cells;
    }

    private static Cell user(UsageLine line) {
        String user = line.user();
        return user == null ? new Cell(TOTAL, Paint.BOLD) : plain(user);
    }

    private static Cell plain(String text) {
        return Cell.of(text);
    }

    private static Cell count(long number) {
        return plain(Long.toString(number));
    }

    /** None is not worth a digit. */
    private static Cell some(long number) {
        return number == 0 ? plain("") : count(number);
    }

    private static Cell wait(@Nullable Double seconds) {
        return plain(seconds == null ? "" : Age.brief(Math.round(seconds)));
    }

    private static Cell percent(@Nullable Double value, double factor) {
        if (value == null) {
            return plain("");
        }
        double percent = value * factor;
        Paint paint = percent >= WELL ? Paint.GREEN : percent < BADLY ? Paint.RED : Paint.YELLOW;
        return new Cell(Math.round(percent) + " %", paint);
    }

    private static Cell memory(UsageLine line) {
        Cell share = percent(line.memoryEfficiency(), 100);
        Long peak = line.memoryPeakMb();
        Long asked = line.memoryAskedMb();
        return peak == null || asked == null
                ? share
                : new Cell(
                        gigabytes(peak) + " of " + gigabytes(asked) + " GB, " + share.text(),
                        share.paint());
    }

    private static String gigabytes(long megabytes) {
        return Tenths.of(megabytes / 1024.0);
    }
}
