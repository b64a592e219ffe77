package dev.berth.cli.command.gpu;

import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TerminalWidth;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.GpuInfo;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** One line for each GPU: index, name, load, memory, state. */
final class GpuTable {

    private static final int MIN_NAME_WIDTH = 6;

    /** A state that does not fit into a column narrower than this goes on a line of its own. */
    private static final int MIN_STATE_WIDTH = 30;

    private static final String INDENT = "    ";
    private static final String BAR = " | ";

    private final List<GpuInfo> gpus;
    private final long now;

    /** Several machines have GPUs with the same number. */
    private final boolean hasNodes;

    /** The parts of one line. */
    private record GpuLine(
            String index, String name, String load, String memory, String state, TextStyle paint) {}

    /**
     * @param now in seconds since 1970
     */
    GpuTable(List<GpuInfo> gpus, long now) {
        this.gpus = gpus;
        this.now = now;
        this.hasNodes = gpus.stream().anyMatch(gpu -> GpuWords.isElsewhere(gpu.identity().node()));
    }

    /** The lines, each with a line end; {@code width} 0 means no limit. */
    String render(int width, boolean colours) {
        List<GpuLine> lines = new ArrayList<>();
        int nameWidth = 0;
        int memoryWidth = 0;
        int indexWidth = 0;
        int loadWidth = 0;
        for (GpuInfo gpu : gpus) {
            GpuLine line = line(gpu);
            lines.add(line);
            nameWidth = Math.max(nameWidth, TerminalWidth.width(line.name()));
            memoryWidth = Math.max(memoryWidth, line.memory().length());
            indexWidth = Math.max(indexWidth, line.index().length());
            loadWidth = Math.max(loadWidth, line.load().length());
        }
        int fixed = indexWidth + 1 + loadWidth + memoryWidth + 3 * BAR.length();
        int stateColumn = Integer.MAX_VALUE;
        if (width > 0) {
            nameWidth = Math.max(MIN_NAME_WIDTH, Math.min(nameWidth, (width - fixed) / 2));
            stateColumn = Math.max(1, width - fixed - nameWidth);
        }
        StringBuilder text = new StringBuilder();
        for (GpuLine line : lines) {
            String name = TerminalWidth.clip(line.name(), nameWidth);
            text.append(TextStyle.DIM.apply(padLeft(line.index(), indexWidth), colours))
                    .append(' ');
            text.append(name).repeat(' ', nameWidth - TerminalWidth.width(name)).append(BAR);
            text.append(padLeft(line.load(), loadWidth)).append(BAR);
            text.append(padLeft(line.memory(), memoryWidth));
            boolean isOnOwnLine =
                    stateColumn < MIN_STATE_WIDTH
                            && TerminalWidth.width(line.state()) > stateColumn;
            text.append(isOnOwnLine ? "\n" + INDENT : BAR);
            int stateWidth = isOnOwnLine ? width - INDENT.length() : stateColumn;
            text.append(line.paint().apply(TerminalWidth.clip(line.state(), stateWidth), colours))
                    .append('\n');
        }
        return text.toString();
    }

    private static String padLeft(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    private GpuLine line(GpuInfo gpu) {
        return new GpuLine(
                "[" + (hasNodes ? gpu.identity().node() + ":" : "") + gpu.identity().index() + "]",
                SafeText.line(gpu.identity().name()),
                value(gpu.reading().temperatureC())
                        + "°C, "
                        + padLeft(value(gpu.reading().utilizationPercent()), 3)
                        + " %",
                value(gpu.reading().memoryUsedMb()) + " / " + gpu.reading().memoryTotalMb() + " MB",
                SafeText.line(state(gpu)),
                paint(gpu.status()));
    }

    private static String value(@Nullable Number number) {
        return number == null ? "?" : number.toString();
    }

    private static TextStyle paint(String status) {
        return switch (status) {
            case "free" -> TextStyle.GREEN;
            case "busy" -> TextStyle.CYAN;
            case "error" -> TextStyle.RED;
            default -> TextStyle.YELLOW;
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
        String foreignUse = foreignUse(gpu);
        if (!foreignUse.isEmpty()) {
            parts.add("in use outside Berth by " + foreignUse);
        }
        String why = gpu.why();
        switch (gpu.status()) {
            case "unknown", "error" ->
                    parts.addFirst(
                            GpuWords.status(gpu) + (why == null ? "" : ": " + why) + stage(gpu));
            case "free" -> parts.addFirst("free" + released(gpu));
            default -> {
                if (parts.isEmpty()) {
                    parts.add("in use" + released(gpu));
                }
            }
        }
        if (!gpu.loadedModels().isEmpty()) {
            parts.add("models " + String.join(", ", gpu.loadedModels()));
        }
        return String.join("; ", parts);
    }

    private static String stage(GpuInfo gpu) {
        GpuInfo.Fault fault = gpu.fault();
        if (fault == null) {
            return "";
        }
        String until = "until `berth gpus recover " + gpu.identity().index() + "`)";
        return fault.stage().equals("testing")
                ? " (being tested)"
                : GpuWords.isQuarantined(gpu) ? " (" + until : " (quarantined " + until;
    }

    private String released(GpuInfo gpu) {
        String age = since(" (released ", gpu.releasedAt());
        return age.isEmpty() ? "" : age + " ago)";
    }

    /** Processes that compute outside Berth. Graphics processes of a desktop are omitted. */
    private String foreignUse(GpuInfo gpu) {
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
        return describe(foreign.getFirst()) + more;
    }

    private String describe(GpuInfo.Process process) {
        String user = process.user();
        Long memory = process.memoryMb();
        return (user == null ? "an unknown user" : user)
                + ": "
                + (process.name().isEmpty() ? "a program" : process.name())
                + " (pid "
                + process.pid()
                + (memory == null ? "" : ", " + memory + " MB")
                + since(", for ", process.since())
                + ")";
    }

    private String since(String before, @Nullable String time) {
        OptionalLong second = TimestampText.parseEpochSecond(time);
        return second.isEmpty() ? "" : before + DurationText.brief(now - second.getAsLong());
    }
}
