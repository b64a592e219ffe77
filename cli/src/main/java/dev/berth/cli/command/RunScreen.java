package dev.berth.cli.command;

import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Cells;
import dev.berth.wire.RunState;

import java.util.ArrayList;
import java.util.List;

/** A few lines on a terminal that are drawn again in their place. */
final class RunScreen implements RunView {

    private static final int MOST_LANES = 10;

    private final Surroundings around;
    private int drawn;

    RunScreen(Surroundings around) {
        this.around = around;
    }

    @Override
    public void show(RunState now) {
        RunText text = new RunText(now, around.time().now().getEpochSecond());
        boolean colours = around.colours();
        List<String> lines = new ArrayList<>();
        // A line that wraps would be two, and the next drawing would begin too low.
        String plain = text.headline(false);
        boolean isFitting = Cells.width(plain) < around.width();
        lines.add(isFitting ? text.headline(colours) : Cells.clip(plain, around.width() - 1));
        if (!text.reason().isEmpty()) {
            lines.add(Cells.clip(text.reason(), around.width() - 1));
        }
        lines.addAll(text.lanes(MOST_LANES, around.width() - 1, colours));
        StringBuilder drawing = new StringBuilder();
        if (drawn > 0) {
            drawing.append("\u001b[").append(drawn).append("A\r\u001b[J");
        }
        for (String line : lines) {
            drawing.append(line).append('\n');
        }
        drawn = lines.size();
        around.out().print(drawing);
        around.out().flush();
    }
}
