package dev.berth.server.api.event;

import dev.berth.http.RejectedException;
import dev.berth.http.ResponseBody;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.http.limit.StreamSlots;
import dev.berth.identity.Sessions;
import dev.berth.server.stream.EventBroadcast;
import dev.berth.server.stream.StreamTimeouts;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Opens event streams, up to the user's limit and as long as the caller's token is valid. */
public record StreamOpener(
        EventBroadcast broadcast, StreamTimeouts timing, StreamSlots places, Sessions sessions) {

    private static final String TYPE = "text/event-stream";

    /**
     * @param making creates the stream, given a check whether its caller is still authenticated
     */
    public RouteResponse open(
            RouteRequest call, Function<BooleanSupplier, ResponseBody.StreamWriter> making)
            throws RejectedException {
        if (call.isHead()) {
            return RouteResponse.bytes(TYPE, "".getBytes(StandardCharsets.UTF_8));
        }
        var caller = call.caller();
        BooleanSupplier isAuthenticated =
                () ->
                        caller.token().stream().allMatch(sessions.credentials()::isValid)
                                && sessions.users().isStillServed(caller);
        var slot = places.tryAcquire(caller.owner().principal());
        if (slot.isEmpty()) {
            throw new RejectedException(
                    RouteResponse.tooManyRequests(
                            "streams.too_many", Map.of("max", Integer.toString(places.max())), 10));
        }
        // Registered here, so that the slot is released even if the stream never starts.
        call.onCompletion(slot.get()::close);
        return RouteResponse.stream(making.apply(isAuthenticated));
    }
}
