package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.jsontext.JsonParser;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Polls a run until it has ended, also across a short outage of its server. */
final class RunPoller {

    private static final Duration OUTAGE = Duration.ofMinutes(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(2);

    /** The state of a large run is long: the server computes it for a tenth of the time at most. */
    private static final int PAUSE_PER_REQUEST = 9;

    private final ServerConnection connection;
    private final CallContext context;

    RunPoller(ServerConnection connection, CallContext context) {
        this.connection = connection;
        this.context = context;
    }

    /** The last state of the run, as the server sent it. */
    Object awaitEnd(RunState started, RunView view) throws IOException, InterruptedException {
        RunState last = started;
        Duration pause = SHORTEST_PAUSE;
        while (true) {
            Instant asked = context.clock().now();
            Object json = fetch(last);
            Duration took = Duration.between(asked, context.clock().now());
            RunState now = WireReader.runState(json);
            view.show(now);
            if (RunText.isOver(now)) {
                return json;
            }
            pause = now.equals(last) ? pause.multipliedBy(2) : SHORTEST_PAUSE;
            pause = clamped(longer(pause, took.multipliedBy(PAUSE_PER_REQUEST)));
            last = now;
            context.clock().sleep(pause);
        }
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private static Duration clamped(Duration pause) {
        return pause.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : pause;
    }

    private Object fetch(RunState run) throws IOException, InterruptedException {
        ApiRequest request = ApiRequest.get("/api/scheduler/run/" + run.pid());
        Object json;
        try {
            json = connection.json(connection.sendWithRetries(OUTAGE, request));
        } catch (CommandFailure failure) {
            Object state = readStateFile(run);
            if (state == null) {
                throw failure;
            }
            return state;
        }
        if (json == null || WireReader.runState(json).pid() != run.pid()) {
            throw new CommandFailure("the server did not send run " + run.pid());
        }
        return json;
    }

    /**
     * A server may stop right after the run; the state file in its home then contains the result.
     */
    private @Nullable Object readStateFile(RunState run) throws IOException {
        Path home = connection.home();
        if (home == null) {
            return null;
        }
        Path file = home.resolve("logs").resolve("state").resolve(run.pid() + ".json");
        try {
            Object json = Files.isReadable(file) ? JsonParser.parse(Files.readString(file)) : null;
            return json != null && RunText.isOver(WireReader.runState(json)) ? json : null;
        } catch (JsonParser.MalformedJson unreadable) {
            return null;
        }
    }
}
