package dev.berth.cli.command;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.link.Homes;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.text.Clean;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the server of a home has written, from its files: it need not be up to be read. */
final class ServerLog {

    private final List<String> kinds;
    private final Options given;
    private final Surroundings around;
    private final Path file;
    private final LogFiles files;

    ServerLog(List<String> kinds, Options given, Surroundings around) {
        this.kinds = kinds;
        this.given = given;
        this.around = around;
        this.file = Homes.chosen(given.value(Option.HOME), around).resolve("logs/berth.log");
        this.files = new LogFiles(file);
    }

    /** The last so many lines that are asked for, from as many parts as it takes. */
    void print(int most) throws IOException {
        List<LogFiles.Part> parts = files.parts();
        if (parts.isEmpty()) {
            throw new Refused(
                    "no log at " + Clean.line(file.toString()) + ": has a server run there?");
        }
        List<LogEntry> last = new ArrayList<>();
        int lines = 0;
        for (LogFiles.Part part : parts) {
            List<LogEntry> entries = LogEntry.of(files.lines(part));
            for (LogEntry entry : entries.reversed()) {
                if (lines < most && entry.isOf(kinds)) {
                    last.add(entry);
                    lines += entry.lines().size();
                }
            }
            if (lines >= most) {
                break;
            }
        }
        print(last.reversed());
    }

    /** Until whoever reads it has left. */
    void follow() throws IOException, InterruptedException {
        Duration pause = Logs.SHORTEST_PAUSE;
        while (!around.out().checkError()) {
            List<String> lines = files.more();
            print(LogEntry.of(lines).stream().filter(entry -> entry.isOf(kinds)).toList());
            pause = lines.isEmpty() ? pause.multipliedBy(2) : Logs.SHORTEST_PAUSE;
            pause = pause.compareTo(Logs.LONGEST_PAUSE) > 0 ? Logs.LONGEST_PAUSE : pause;
            around.time().pause(pause);
        }
    }

    private void print(List<LogEntry> entries) {
        boolean raw = given.has(Logs.RAW);
        for (LogEntry entry : entries) {
            around.out()
                    .print(
                            given.has(Option.JSON)
                                    ? JsonText.of(entry.json()) + "\n"
                                    : entry.shown(raw));
        }
        around.out().flush();
    }
}
