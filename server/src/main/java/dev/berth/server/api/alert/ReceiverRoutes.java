package dev.berth.server.api.alert;

import dev.berth.core.Rejected;
import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.notify.Notifier;
import dev.berth.wire.ReceiverInfo;
import dev.berth.wire.ReceiverTest;

import java.util.List;
import java.util.Set;

/** Lists receivers of notifications and sends them test messages. */
public final class ReceiverRoutes {

    private static final Param<String> NAME = Param.text("name", "the name of the receiver");

    private static final RouteDoc LIST_DOC =
            RouteDoc.of("The receivers of notifications and the state of their deliveries")
                    .withListResponse(200, ReceiverInfo.class);

    private static final RouteDoc TEST_DOC =
            RouteDoc.of("Sends a test notification and returns the result")
                    .withResponse(200, ReceiverTest.class)
                    .withErrors(400, 404, 422);

    private final Notifier messages;

    public ReceiverRoutes(Notifier messages) {
        this.messages = messages;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/receivers"),
                        AccessLevel.SERVED,
                        LIST_DOC,
                        _ -> RouteResponse.ok(messages.receivers())),
                Route.post(
                        PathPattern.of("/api/receivers/{name}/test", NAME),
                        AccessLevel.ADMIN,
                        TEST_DOC,
                        this::test));
    }

    private RouteResponse test(RouteRequest call) throws RejectedException {
        call.body().fields().requireKnown(Set.of(), Set.of());
        var name = call.path(NAME);
        return messages.sendTestTo(name)
                .map(RouteResponse::ok)
                .orElseThrow(
                        () ->
                                new RejectedException(
                                        Rejected.notFound("receiver.unknown")
                                                .with("receiver", name)));
    }
}
