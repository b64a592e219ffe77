package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.server.message.Messages;
import dev.berth.wire.ReceiverInfo;
import dev.berth.wire.ReceiverTest;

import java.util.List;
import java.util.Set;

/** Who is told of what happens. */
final class ReceiverRoutes {

    private static final Param<String> NAME = Param.text("name", "what the receiver is called");

    private static final Doc LIST_DOC =
            Doc.of("Who is told of what happens, and whether it reaches them")
                    .givingMany(200, ReceiverInfo.class);

    private static final Doc TEST_DOC =
            Doc.of("Sends a message now, once, and says what became of it")
                    .giving(200, ReceiverTest.class)
                    .refusing(400, 404, 422);

    private final Messages messages;

    ReceiverRoutes(Messages messages) {
        this.messages = messages;
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/receivers"),
                        Access.SERVED,
                        LIST_DOC,
                        _ -> Answer.ok(messages.receivers())),
                Route.post(
                        PathPattern.of("/api/receivers/{name}/test", NAME),
                        Access.ADMIN,
                        TEST_DOC,
                        this::test));
    }

    private Answer test(Call call) throws Refused {
        call.body().fields().expect(Set.of(), Set.of());
        var name = call.path(NAME);
        return messages.test(name)
                .map(Answer::ok)
                .orElseThrow(
                        () ->
                                new Refused(
                                        Rejected.unknown(
                                                        "receiver.unknown",
                                                        "There is no receiver " + name + ".")
                                                .with("receiver", name)));
    }
}
