package dev.berth.cli.command.log;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.cli.command.task.TaskLogPrinter;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonWriter;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The server's log of a home, read from its files, so the server need not run. */
final class ServerLog {

    private final List<String> kinds;
    private final ParsedOptions options;
    private final CallContext context;
    private final Path file;
    private final RotatedLog files;

    ServerLog(List<String> kinds, ParsedOptions options, CallContext context) {
        this.kinds = kinds;
        this.options = options;
        this.context = context;
        this.file = ServerAddresses.personalHome(options, context).resolve("logs/berth.log");
        this.files = new RotatedLog(file);
    }

    /** Prints the last lines of the requested kinds, from as many parts as needed. */
    void print(int maxLines) throws IOException {
        List<RotatedLog.LogPart> parts = files.parts();
        if (parts.isEmpty()) {
            throw new CommandFailure(
                    "no log at " + SafeText.line(file.toString()) + ": no server has run there");
        }
        List<LogEntry> last = new ArrayList<>();
        int lines = 0;
        for (RotatedLog.LogPart part : parts) {
            List<LogEntry> entries = LogEntry.parse(files.lines(part));
            for (LogEntry entry : entries.reversed()) {
                if (lines < maxLines && entry.matches(kinds)) {
                    last.add(entry);
                    lines += entry.lines().size();
                }
            }
            if (lines >= maxLines) {
                break;
            }
        }
        print(last.reversed());
    }

    /** Prints new lines until the reader closes the output. */
    void follow() throws IOException, InterruptedException {
        Duration pause = TaskLogPrinter.MIN_PAUSE;
        while (!context.out().checkError()) {
            List<String> lines = files.newLines();
            print(LogEntry.parse(lines).stream().filter(entry -> entry.matches(kinds)).toList());
            pause = lines.isEmpty() ? pause.multipliedBy(2) : TaskLogPrinter.MIN_PAUSE;
            pause =
                    pause.compareTo(TaskLogPrinter.MAX_PAUSE) > 0
                            ? TaskLogPrinter.MAX_PAUSE
                            : pause;
            context.clock().sleep(pause);
        }
    }

    private void print(List<LogEntry> entries) {
        boolean raw = options.has(LogsCommand.RAW);
        for (LogEntry entry : entries) {
            context.out()
                    .print(
                            options.has(CommandOption.JSON)
                                    ? JsonWriter.write(entry.json()) + "\n"
                                    : entry.format(raw));
        }
        context.out().flush();
    }
}
