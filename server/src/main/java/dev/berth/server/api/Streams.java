package dev.berth.server.api;

import dev.berth.core.task.TaskId;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Content;
import dev.berth.server.http.Refused;
import dev.berth.server.stream.Broadcast;
import dev.berth.server.stream.LogFollower;
import dev.berth.server.stream.Timing;

import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Opens streams: for so many at once, and as long as their caller is somebody here. */
record Streams(Desk desk, Front front, Broadcast broadcast) {

    private static final String TYPE = "text/event-stream";

    Timing timing() {
        return front.live().timing();
    }

    /** Of a task that there is. */
    LogFollower follower(TaskId task, long from) throws Refused, StoreFailure {
        var _ = desk.find(task);
        var sources = new LogFollower.Sources(desk.engine(), desk.queries(), desk.logs());
        return new LogFollower(sources, task, from);
    }

    /**
     * @param making of the stream, given whether its caller may still listen
     */
    Answer open(Call call, Function<BooleanSupplier, Content.Show> making) throws Refused {
        if (call.isHead()) {
            return Answer.bytes(TYPE, "".getBytes(StandardCharsets.UTF_8));
        }
        var caller = call.caller();
        var credentials = front.keys().credentials();
        BooleanSupplier isWelcome = () -> caller.token().stream().allMatch(credentials::isGood);
        var place = front.live().places().take(caller.owner().principal());
        if (place.isEmpty()) {
            throw new Refused(
                    Answer.tooMany(
                            "streams.too_many",
                            "You have "
                                    + front.live().places().most()
                                    + " event streams open already. Close some.",
                            10));
        }
        // Also if it never comes to the stream.
        call.afterwards(place.get()::close);
        return Answer.stream(making.apply(isWelcome));
    }
}
