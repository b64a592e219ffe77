package dev.berth.cli.command.task;

import dev.berth.cli.text.PrettyJson;
import dev.berth.cli.text.TerminalWidth;

import org.jspecify.annotations.Nullable;

/** Adds a JSON value, which may be large, as a few lines. */
final class JsonLines {

    private static final int MAX_LINES = 20;
    private static final int MAX_LINE_WIDTH = 200;

    private final long task;
    private final LabelledLines lines;

    JsonLines(long task, LabelledLines lines) {
        this.task = task;
        this.lines = lines;
    }

    void add(String label, @Nullable Object value) {
        String[] all = PrettyJson.write(value).split("\n", -1);
        boolean isCut = all.length > MAX_LINES;
        for (int at = 0; at < Math.min(all.length, MAX_LINES); at++) {
            String line = TerminalWidth.clip(all[at], MAX_LINE_WIDTH);
            isCut |= !line.equals(all[at]);
            lines.add(at == 0 ? label : "", line);
        }
        if (isCut) {
            lines.add("", "… `berth show " + task + " --json` prints all of it");
        }
    }
}
