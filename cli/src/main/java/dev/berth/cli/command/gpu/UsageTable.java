package dev.berth.cli.command.gpu;

import dev.berth.cli.text.DecimalText;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.wire.UsageLine;
import dev.berth.wire.UsageReport;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** One line for each user, the largest share first, and a total. */
final class UsageTable {

    private static final String TOTAL = "total";

    /** Good use of a GPU, in percent. */
    private static final double GOOD_PERCENT = 60;

    private static final double POOR_PERCENT = 30;

    private final List<UsageLine> lines;

    UsageTable(UsageReport report) {
        lines = new ArrayList<>(report.users());
        lines.add(report.total());
    }

    /** The lines, each with a line end; {@code width} 0 means no limit. */
    String render(int width, boolean colours) {
        TextTable table = new TextTable();
        table.add("USER", ColumnKind.SHRINKABLE, cells(UsageTable::user));
        table.add("GPU-HOURS", ColumnKind.RIGHT, cells(line -> cell(hours(line.gpuHours()))));
        table.add("TASKS", ColumnKind.RIGHT, cells(line -> count(line.tasks())));
        table.add("COMPLETED", ColumnKind.RIGHT, cells(line -> countOrEmpty(line.completed())));
        table.add("FAILED", ColumnKind.RIGHT, cells(line -> countOrEmpty(line.failed())));
        table.add("CANCELLED", ColumnKind.RIGHT, cells(line -> countOrEmpty(line.cancelled())));
        table.add("WAIT", ColumnKind.RIGHT, cells(line -> wait(line.waitMeanSeconds())));
        table.add("WAIT P95", ColumnKind.RIGHT, cells(line -> wait(line.waitP95Seconds())));
        table.add("LOAD", ColumnKind.RIGHT, cells(line -> percent(line.utilizationMean(), 1)));
        table.add("MEMORY USED", ColumnKind.RIGHT, cells(UsageTable::memory));
        return table.render(width, colours);
    }

    /** Two decimals for small values, which are common in a new home. */
    private static String hours(double hours) {
        long hundredths = Math.round(hours * 100);
        return hundredths < 10 && hundredths > 0
                ? "0.0" + hundredths
                : DecimalText.oneDecimal(hours);
    }

    private List<Cell> cells(Function<UsageLine, Cell> toCell) {
        List<Cell> cells = new ArrayList<>();
        for (UsageLine line : lines) {
            cells.add(toCell.apply(line));
        }
        return cells;
    }

    private static Cell user(UsageLine line) {
        String user = line.user();
        return user == null ? new Cell(TOTAL, TextStyle.BOLD) : cell(user);
    }

    private static Cell cell(String text) {
        return Cell.of(text);
    }

    private static Cell count(long number) {
        return cell(Long.toString(number));
    }

    /** Empty for 0. */
    private static Cell countOrEmpty(long number) {
        return number == 0 ? cell("") : count(number);
    }

    private static Cell wait(@Nullable Double seconds) {
        return cell(seconds == null ? "" : DurationText.brief(Math.round(seconds)));
    }

    private static Cell percent(@Nullable Double value, double factor) {
        if (value == null) {
            return cell("");
        }
        double percent = value * factor;
        TextStyle paint =
                percent >= GOOD_PERCENT
                        ? TextStyle.GREEN
                        : percent < POOR_PERCENT ? TextStyle.RED : TextStyle.YELLOW;
        return new Cell(Math.round(percent) + " %", paint);
    }

    private static Cell memory(UsageLine line) {
        Cell share = percent(line.memoryEfficiency(), 100);
        Long peak = line.memoryPeakMb();
        Long requested = line.memoryAskedMb();
        return peak == null || requested == null
                ? share
                : new Cell(
                        gigabytes(peak) + " of " + gigabytes(requested) + " GB, " + share.text(),
                        share.style());
    }

    private static String gigabytes(long megabytes) {
        return DecimalText.oneDecimal(megabytes / 1024.0);
    }
}
