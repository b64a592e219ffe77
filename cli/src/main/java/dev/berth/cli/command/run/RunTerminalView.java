package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.text.TerminalWidth;
import dev.berth.wire.RunState;

import java.util.ArrayList;
import java.util.List;

/** Redraws a few lines on a terminal in place. */
final class RunTerminalView implements RunView {

    private static final int MAX_LANES = 10;

    private final CallContext context;
    private int drawnLines;

    RunTerminalView(CallContext context) {
        this.context = context;
    }

    @Override
    public void show(RunState now) {
        RunText text = new RunText(now, context.clock().now().getEpochSecond());
        boolean colours = context.usesColours();
        List<String> lines = new ArrayList<>();
        // A line that wraps would take two rows, and the next redraw would start too low.
        String headline = text.headline(false);
        boolean isFitting = TerminalWidth.width(headline) < context.width();
        lines.add(
                isFitting
                        ? text.headline(colours)
                        : TerminalWidth.clip(headline, context.width() - 1));
        if (!text.reason().isEmpty()) {
            lines.add(TerminalWidth.clip(text.reason(), context.width() - 1));
        }
        lines.addAll(text.lanes(MAX_LANES, context.width() - 1, colours));
        StringBuilder output = new StringBuilder();
        if (drawnLines > 0) {
            output.append("\u001b[").append(drawnLines).append("A\r\u001b[J");
        }
        for (String line : lines) {
            output.append(line).append('\n');
        }
        drawnLines = lines.size();
        context.out().print(output);
        context.out().flush();
    }
}
