package dev.berth.cli.command;

import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.link.Json;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.RunReader;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Stays with a run until it is over, also while its server is away for a moment. */
final class RunWatch {

    private static final Duration OUTAGE = Duration.ofMinutes(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Link link;
    private final Surroundings around;

    RunWatch(Link link, Surroundings around) {
        this.link = link;
        this.around = around;
    }

    /** The run as the server sent it when it was over. */
    Object untilOver(RunState started, RunView view) throws IOException, InterruptedException {
        RunState last = started;
        Duration pause = SHORTEST_PAUSE;
        while (true) {
            Object json = ask(last);
            RunState now = RunReader.run(json);
            view.show(now);
            if (RunText.isOver(now)) {
                return json;
            }
            pause = now.equals(last) ? pause.multipliedBy(2) : SHORTEST_PAUSE;
            pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
            last = now;
            around.time().pause(pause);
        }
    }

    private Object ask(RunState run) throws IOException, InterruptedException {
        Request request = Request.get("/api/scheduler/run/" + run.pid());
        Object json;
        try {
            json = link.json(link.askThrough(OUTAGE, request));
        } catch (Refused gone) {
            Object written = written(run);
            if (written == null) {
                throw gone;
            }
            return written;
        }
        if (json == null || RunReader.run(json).pid() != run.pid()) {
            throw new Refused("the server sent something else than run " + run.pid());
        }
        return json;
    }

    /** A server may end right after the run; what it wrote last then tells how that went. */
    private @Nullable Object written(RunState run) throws IOException {
        Path home = link.home();
        if (home == null) {
            return null;
        }
        Path file = home.resolve("logs").resolve("state").resolve(run.pid() + ".json");
        try {
            Object json = Files.isReadable(file) ? Json.read(Files.readString(file)) : null;
            return json != null && RunText.isOver(RunReader.run(json)) ? json : null;
        } catch (Json.Malformed unreadable) {
            return null;
        }
    }
}
