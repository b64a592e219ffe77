package dev.berth.cli.command;

import dev.berth.cli.text.Age;
import dev.berth.cli.text.Cells;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;
import dev.berth.cli.text.Paint;
import dev.berth.wire.GpuInfo;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Cards in lines, with what they do in plain words. */
final class GpuTable {

    private static final int NARROWEST_NAME = 6;

    /** Words that do not fit and have less than this get a line of their own. */
    private static final int NARROWEST_STATE = 30;

    private static final String INDENT = "    ";
    private static final String BAR = " | ";

    private final List<GpuInfo> gpus;
    private final long now;

    /** The parts of one line. */
    private record Line(
            String index, String name, String load, String memory, String state, Paint paint) {}

    /**
     * @param now in seconds since 1970
     */
    GpuTable(List<GpuInfo> gpus, long now) {
        this.gpus = gpus;
        this.now = now;
    }

    /** The lines, each ended; {@code width} 0 means that there is no limit. */
    String render(int width, boolean colours) {
        List<Line> lines = new ArrayList<>();
        int names = 0;
        int memories = 0;
        int indices = 0;
        int loads = 0;
        for (GpuInfo gpu : gpus) {
            Line line = line(gpu);
            lines.add(line);
            names = Math.max(names, Cells.width(line.name()));
            memories = Math.max(memories, line.memory().length());
            indices = Math.max(indices, line.index().length());
            loads = Math.max(loads, line.load().length());
        }
        int fixed = indices + 1 + loads + memories + 3 * BAR.length();
        int states = Integer.MAX_VALUE;
        if (width > 0) {
            names = Math.max(NARROWEST_NAME, Math.min(names, (width - fixed) / 2));
            states = Math.max(1, width - fixed - names);
        }
        StringBuilder text = new StringBuilder();
        for (Line line : lines) {
            String name = Cells.clip(line.name(), names);
            text.append(Paint.DIM.on(left(line.index(), indices), colours)).append(' ');
            text.append(name).repeat(' ', names - Cells.width(name)).append(BAR);
            text.append(left(line.load(), loads)).append(BAR);
            text.append(left(line.memory(), memories));
            boolean isApart = states < NARROWEST_STATE && Cells.width(line.state()) > states;
            text.append(isApart ? "\n" + INDENT : BAR);
            int room = isApart ? width - INDENT.length() : states;
            text.append(line.paint().on(Cells.clip(line.state(), room), colours)).append('\n');
        }
        return text.toString();
    }

    private static String left(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    private Line line(GpuInfo gpu) {
        return new Line(
                "[" + gpu.index() + "]",
                Clean.line(gpu.name()),
                value(gpu.temperatureC())
                        + "°C, "
                        + left(value(gpu.utilizationPercent()), 3)
                        + " %",
                value(gpu.memoryUsedMb()) + " / " + gpu.memoryTotalMb() + " MB",
                Clean.line(state(gpu)),
                paint(gpu.status()));
    }

    private static String value(@Nullable Number number) {
        return number == null ? "?" : number.toString();
    }

    private static Paint paint(String status) {
        return switch (status) {
            case "free" -> Paint.GREEN;
            case "busy" -> Paint.CYAN;
            case "error" -> Paint.RED;
            default -> Paint.YELLOW;
        };
    }

    private String state(GpuInfo gpu) {
        List<String> parts = new ArrayList<>();
        for (GpuInfo.Holder holder : gpu.holders()) {
            parts.add(
                    "in use by "
                            + holder.owner()
                            + ": task "
                            + holder.taskId()
                            + " \""
                            + holder.name()
                            + "\""
                            + since(" for ", holder.since()));
        }
        String others = others(gpu);
        if (!others.isEmpty()) {
            parts.add("in use outside Berth by " + others);
        }
        String why = gpu.why();
        switch (gpu.status()) {
            case "unknown", "error" ->
                    parts.addFirst(gpu.status() + (why == null ? "" : ": " + why) + stage(gpu));
            case "free" -> parts.addFirst("free" + released(gpu));
            default -> {
                if (parts.isEmpty()) {
                    parts.add("in use" + released(gpu));
                }
            }
        }
        return String.join("; ", parts);
    }

    private static String stage(GpuInfo gpu) {
        GpuInfo.Fault fault = gpu.fault();
        if (fault == null) {
            return "";
        }
        return fault.stage().equals("testing")
                ? " (being tested)"
                : " (out of use until `berth gpus recover " + gpu.index() + "`)";
    }

    private String released(GpuInfo gpu) {
        String age = since(" (released ", gpu.releasedAt());
        return age.isEmpty() ? "" : age + " ago)";
    }

    /** Programs that compute outside Berth; a desktop is not worth a word. */
    private String others(GpuInfo gpu) {
        List<GpuInfo.Process> processes = gpu.processes();
        List<GpuInfo.Process> foreign = new ArrayList<>();
        for (GpuInfo.Process process : processes == null ? List.<GpuInfo.Process>of() : processes) {
            if (process.foreign() && process.kind().equals("compute")) {
                foreign.add(process);
            }
        }
        if (foreign.isEmpty()) {
            return "";
        }
        String more = foreign.size() == 1 ? "" : " and " + (foreign.size() - 1) + " more";
        return other(foreign.getFirst()) + more;
    }

    private String other(GpuInfo.Process process) {
        String user = process.user();
        Long memory = process.memoryMb();
        return (user == null ? "somebody unknown" : user)
                + ": "
                + (process.name().isEmpty() ? "a program" : process.name())
                + " (pid "
                + process.pid()
                + (memory == null ? "" : ", " + memory + " MB")
                + since(", for ", process.since())
                + ")";
    }

    private String since(String before, @Nullable String time) {
        OptionalLong second = Moment.epochSecond(time);
        return second.isEmpty() ? "" : before + Age.brief(now - second.getAsLong());
    }
}
