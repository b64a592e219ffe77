package dev.berth.cli.command.task;

import dev.berth.cli.call.CliClock;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.Timeline;
import dev.berth.wire.Timeline.TimelineGpu;
import dev.berth.wire.Timeline.TimelineRun;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** GPUs over time as text: one row for each GPU, more while tasks share it. */
final class TimelineText {

    private static final int DEFAULT_WIDTH = 80;
    private static final int MIN_CHART = 20;

    /** Between two times above the chart. */
    private static final int TICK = 12;

    private static final long MIN_AHEAD = 3600;
    private static final long MAX_AHEAD = 24 * 3600;
    private static final long AHEAD_PER_BACK = 3;
    private static final int MAX_ROWS = 4;

    private static final char ENDED = '-';
    private static final char RUNNING = '#';
    private static final char EXPECTED = '.';
    private static final char ENDLESS = '>';

    private final Timeline timeline;
    private final ZoneOffset zone;
    private final int label;
    private final int columns;
    private final boolean colours;
    private final long now;
    private final long from;
    private final long to;
    private final StringBuilder text = new StringBuilder();

    /**
     * @param width 0 means no limit
     */
    TimelineText(Timeline timeline, CliClock clock, int width, boolean colours) {
        this.timeline = timeline;
        this.colours = colours;
        this.now = second(timeline.now());
        this.zone = clock.offsetAt(now);
        this.label = labelWidth(timeline.gpus());
        this.columns = Math.max(MIN_CHART, (width == 0 ? DEFAULT_WIDTH : width) - label);
        long ahead = Math.clamp(lastEnd() - now, MIN_AHEAD, MAX_AHEAD);
        this.from = now - ahead / AHEAD_PER_BACK;
        this.to = now + ahead;
    }

    /** The lines, each with a line end. */
    String render() {
        if (timeline.gpus().isEmpty()) {
            return "no GPUs\n";
        }
        times();
        for (TimelineGpu gpu : timeline.gpus()) {
            rows(gpu);
        }
        text.append('\n').append(legend()).append('\n');
        if (timeline.truncated()) {
            text.append("not all runs are shown\n");
        }
        return text.toString();
    }

    private static int labelWidth(List<TimelineGpu> gpus) {
        int width = 0;
        for (TimelineGpu gpu : gpus) {
            width = Math.max(width, label(gpu).length());
        }
        return width + 1;
    }

    private static String label(TimelineGpu gpu) {
        return "GPU " + gpu.index();
    }

    private long lastEnd() {
        long last = now;
        for (TimelineRun run : timeline.runs()) {
            String end = run.end();
            last = Math.max(last, end == null ? second(run.start()) : second(end));
        }
        return last;
    }

    private static long second(String time) {
        return TimestampText.parseEpochSecond(time).orElse(0);
    }

    private void times() {
        StringBuilder line = new StringBuilder(" ".repeat(label));
        for (int column = 0; column + TICK / 2 <= columns; column += TICK) {
            line.append(" ".repeat(label + column - line.length()));
            line.append(clockTime(from + column * (to - from) / columns));
        }
        text.append(line).append('\n');
        int here = Math.min(columns - 1, column(now));
        text.append(" ".repeat(label + here)).append("| now\n");
    }

    /** {@code 14:05}. */
    private String clockTime(long second) {
        return TimestampText.format(second, zone).substring(11, 16);
    }

    private int column(long second) {
        return (int) Math.clamp((second - from) * columns / (to - from), 0, columns);
    }

    private void rows(TimelineGpu gpu) {
        List<Row> rows = new ArrayList<>();
        for (TimelineRun run : timeline.runs()) {
            if (run.gpus().contains(gpu.index()) && isShown(run)) {
                row(rows, second(run.start())).add(run);
            }
        }
        if (rows.isEmpty()) {
            rows.add(new Row());
        }
        String name = label(gpu);
        for (Row row : rows) {
            row.append(name + " ".repeat(label - name.length()));
            name = "";
        }
    }

    private boolean isShown(TimelineRun run) {
        return second(run.start()) < to && end(run) > from;
    }

    private long end(TimelineRun run) {
        String end = run.end();
        return end == null ? Long.MAX_VALUE : second(end);
    }

    /** The first row that is free from then on. */
    private Row row(List<Row> rows, long start) {
        for (Row row : rows) {
            if (row.end <= start) {
                return row;
            }
        }
        if (rows.size() < MAX_ROWS) {
            rows.add(new Row());
        }
        return rows.getLast();
    }

    private String legend() {
        return TextStyle.DIM.apply("-- ended", colours)
                + "   "
                + TextStyle.CYAN.apply("## runs", colours)
                + "   "
                + TextStyle.YELLOW.apply(".. expected", colours)
                + "   > its end is not known";
    }

    /** Tasks on one GPU that follow each other. */
    private final class Row {

        private final char[] cells = new char[columns];
        private final TextStyle[] styles = new TextStyle[columns];
        private long end = Long.MIN_VALUE;

        Row() {
            Arrays.fill(cells, ' ');
            Arrays.fill(styles, TextStyle.PLAIN);
        }

        void add(TimelineRun run) {
            long ends = end(run);
            int first = Math.min(columns - 1, column(second(run.start())));
            int last = ends > to ? columns : Math.max(first + 1, column(ends));
            boolean isOver = !run.isPredicted() && !run.status().equals("running");
            char fill = run.isPredicted() ? EXPECTED : isOver ? ENDED : RUNNING;
            TextStyle style =
                    run.isPredicted() ? TextStyle.YELLOW : isOver ? TextStyle.DIM : TextStyle.CYAN;
            Arrays.fill(cells, first, last, fill);
            Arrays.fill(styles, first, last, style);
            String id = Long.toString(run.taskId());
            if (id.length() < last - first) {
                id.getChars(0, id.length(), cells, first);
            }
            if (run.end() == null) {
                cells[columns - 1] = ENDLESS;
            }
            end = Math.max(end, ends);
        }

        void append(String start) {
            StringBuilder line = new StringBuilder(start);
            for (int column = 0; column < columns; ) {
                int next = column + 1;
                while (next < columns && styles[next] == styles[column]) {
                    next++;
                }
                String part = new String(cells, column, next - column);
                boolean isBlank = part.isBlank();
                line.append(isBlank ? part : styles[column].apply(part, colours));
                column = next;
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }
}
