package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Amount;
import dev.berth.cli.text.Clean;
import dev.berth.wire.TaskLog;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** What a task has written. */
public final class Logs implements Command {

    private static final Option FOLLOW =
            Option.flag("--follow", "go on until the task ends, or you do").or("-f");
    private static final Option TAIL =
            Option.valued("--tail", "N", "start with the last N lines (100)").or("-n");
    private static final Option SERVER =
            Option.flag("--server", "what the server has written; needs none to be up");
    private static final Option KIND =
            Option.valued(
                    "--kind", "K", "with --server: only events like attempt.granted, or task.");
    static final Option RAW = Option.flag("--raw", "as it was written, control sequences and all");

    private static final int USUAL_TAIL = 100;
    static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    @Override
    public Syntax syntax() {
        return new Syntax(
                "logs",
                "ID | --server",
                "Print what a task has written, or the server",
                List.of(FOLLOW, TAIL, SERVER, KIND, RAW, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException, InterruptedException {
        if (given.has(SERVER)) {
            given.expectNoArguments();
            ServerLog log = new ServerLog(given.values(KIND), given, around);
            log.print(tail(given.value(TAIL)));
            if (given.has(FOLLOW)) {
                log.follow();
            }
            return 0;
        }
        if (given.has(KIND)) {
            throw new UsageError("--kind goes with --server");
        }
        List<Long> ids = TaskIds.of(given.arguments());
        if (ids.size() > 1) {
            throw new UsageError("one task at a time");
        }
        int tail = tail(given.value(TAIL));
        try (Link link = Link.open(given, around)) {
            String logs = "/api/tasks/" + ids.getFirst() + "/logs";
            Reply reply = link.get(logs + "?tail=" + tail);
            TaskLog log = WireReader.log(link.json(reply));
            print(reply, log, given, around);
            if (log.truncated() && around.terminal() && !given.has(TAIL)) {
                around.note("there is more before this: --tail N shows it");
            }
            if (given.has(FOLLOW)) {
                follow(log.nextOffset(), ids.getFirst(), link, given, around);
            }
            return 0;
        }
    }

    private static int tail(@Nullable String given) {
        int lines = given == null ? USUAL_TAIL : Amount.count(given).orElse(0);
        if (lines == 0) {
            throw new UsageError("--tail takes a number from 1 up");
        }
        return lines;
    }

    private static void follow(long start, long id, Link link, Options given, Surroundings around)
            throws InterruptedException {
        long offset = start;
        Duration pause = SHORTEST_PAUSE;
        while (!around.out().checkError()) { // Whoever read our output may have left.
            // Asked before reading: what was written before the end is then sure to be read.
            Reply state = link.askThrough(Ending.OUTAGE, Request.get("/api/tasks/" + id));
            boolean ended = Ending.isFinal(WireReader.detail(link.json(state)).status());
            Reply reply =
                    link.askThrough(
                            Ending.OUTAGE,
                            Request.get("/api/tasks/" + id + "/logs?from=" + offset));
            TaskLog piece = WireReader.log(link.json(reply));
            boolean moved = piece.nextOffset() != offset;
            offset = piece.nextOffset();
            if (!piece.lines().isEmpty()) {
                print(reply, piece, given, around);
            }
            if (ended) {
                if (!moved) {
                    return;
                }
                continue;
            }
            pause = moved ? SHORTEST_PAUSE : pause.multipliedBy(2);
            pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
            around.time().pause(pause);
        }
    }

    private static void print(Reply reply, TaskLog log, Options given, Surroundings around) {
        if (given.has(Option.JSON)) {
            around.out().println(reply.body().strip());
            return;
        }
        boolean raw = given.has(RAW);
        StringBuilder text = new StringBuilder();
        for (String line : log.lines()) {
            text.append(raw ? line : Clean.logLine(line)).append('\n');
        }
        around.out().print(text);
        around.out().flush();
    }
}
