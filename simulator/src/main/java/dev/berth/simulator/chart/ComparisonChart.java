package dev.berth.simulator.chart;

import dev.berth.simulator.chart.Panel.Tick;
import dev.berth.simulator.chart.Svg.Point;
import dev.berth.simulator.replay.Schedule;
import dev.berth.simulator.replay.ScheduledJob;
import dev.berth.simulator.result.GpuUse;
import dev.berth.simulator.result.Waits;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Draws the waits by percentile and the use of GPUs over time, with a line for each policy. */
public final class ComparisonChart {

    /** Differs in colour and in dashes. The names of later lines begin again with the first. */
    private static final int STYLES = 6;

    private static final int WAITS_TOP = 90;
    private static final int USE_TOP = WAITS_TOP + Panel.HEIGHT + 100;
    private static final int BOTTOM = USE_TOP + Panel.HEIGHT + 55;
    private static final int LEGEND_WIDTH = 110;

    private static final int PARTS = 300;

    /** The axis ends at 99.9 %: each third of it has a tenth of the jobs of the one before. */
    private static final double DECADES = 3;

    private static final String STYLE =
            """
            text{font:12px system-ui,sans-serif;fill:#24292f}
            .heading{font-size:14px;font-weight:600}
            .left{text-anchor:end}.below{text-anchor:middle}
            .back{fill:#fff}.grid{stroke:#d8dee4}.axis{stroke:#57606a}
            polyline,.key{fill:none;stroke-width:2;stroke-linejoin:round}
            .s0{stroke:#0969da}.s1{stroke:#bc4c00;stroke-dasharray:7 3}
            .s2{stroke:#1a7f37;stroke-dasharray:2 3}.s3{stroke:#8250df;stroke-dasharray:10 3 2 3}
            .s4{stroke:#bf3989;stroke-dasharray:4 4}.s5{stroke:#57606a;stroke-dasharray:12 4}
            @media(prefers-color-scheme:dark){
            text{fill:#e6edf3}.back{fill:#0d1117}.grid{stroke:#30363d}.axis{stroke:#8b949e}
            .s0{stroke:#58a6ff}.s1{stroke:#f0883e}.s2{stroke:#3fb950}.s3{stroke:#bc8cff}
            .s4{stroke:#f778ba}.s5{stroke:#8b949e}}
            """;

    private final Svg svg = new Svg(Panel.WIDTH, BOTTOM, STYLE);
    private final Map<String, Schedule> schedules;

    private ComparisonChart(Map<String, Schedule> schedules) {
        this.schedules = new LinkedHashMap<>(schedules);
    }

    /**
     * @param schedules by the name of the policy
     * @return the text of an SVG file
     */
    public static String draw(String title, Map<String, Schedule> schedules) {
        var chart = new ComparisonChart(schedules);
        chart.svg.title(title);
        chart.svg.label("heading", new Point(20, 26), title);
        chart.legend();
        chart.waits();
        chart.use();
        return chart.svg.end();
    }

    private void legend() {
        double left = 20;
        int index = 0;
        for (var name : schedules.keySet()) {
            svg.line("key " + style(index++), new Point(left, 46), new Point(left + 28, 46));
            svg.label("name", new Point(left + 36, 50), name);
            left += LEGEND_WIDTH;
        }
    }

    private void waits() {
        var waits = new LinkedHashMap<String, Waits>();
        schedules.forEach((name, schedule) -> waits.put(name, Waits.of(schedule.jobs())));
        long longest =
                waits.values().stream().mapToLong(one -> one.percentile(100)).max().orElse(0);
        var panel = new Panel(svg, WAITS_TOP);
        panel.axes(
                "Wait until the start",
                List.of(
                        new Tick(0, "0 %"),
                        new Tick(decades(50), "50 %"),
                        new Tick(decades(90), "90 %"),
                        new Tick(decades(99), "99 %"),
                        new Tick(1, "99.9 %")),
                TimeTicks.logarithmic(longest));
        panel.below("jobs that waited no longer");
        int index = 0;
        for (var one : waits.values()) {
            var points = new ArrayList<Point>();
            for (int part = 0; part <= PARTS; part++) {
                double across = (double) part / PARTS;
                double percent = 100 * (1 - Math.pow(10, -across * DECADES));
                points.add(panel.at(across, TimeTicks.position(one.percentile(percent), longest)));
            }
            svg.curve(style(index++), points);
        }
    }

    private static double decades(double percent) {
        return -Math.log10(1 - percent / 100) / DECADES;
    }

    private void use() {
        var jobs = schedules.values().stream().flatMap(one -> one.jobs().stream()).toList();
        long from = jobs.stream().mapToLong(job -> job.job().submitS()).min().orElse(0);
        long to = jobs.stream().mapToLong(ScheduledJob::endS).max().orElse(1);
        long gpus = schedules.values().stream().mapToLong(Schedule::gpus).max().orElse(1);
        var panel = new Panel(svg, USE_TOP);
        panel.axes("GPUs in use", TimeTicks.linear(to - from), gpuTicks(gpus));
        panel.below("time since the first submit");
        int index = 0;
        for (var schedule : schedules.values()) {
            var used = GpuUse.overTime(schedule.jobs(), from, to, PARTS);
            var points = new ArrayList<Point>();
            for (int part = 0; part < PARTS; part++) {
                double up = used[part] / Math.max(1, gpus);
                points.add(panel.at((part + 0.5) / PARTS, up));
            }
            svg.curve(style(index++), points);
        }
    }

    private static List<Tick> gpuTicks(long gpus) {
        var ticks = new ArrayList<Tick>();
        for (int quarter = 0; quarter <= 4; quarter++) {
            if (gpus * quarter % 4 == 0) {
                ticks.add(new Tick(quarter / 4.0, String.valueOf(gpus * quarter / 4)));
            }
        }
        return ticks;
    }

    private static String style(int index) {
        return "s" + index % STYLES;
    }
}
