package dev.berth.server.api;

import dev.berth.engine.Command;
import dev.berth.engine.Reply;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.GpuInfo;
import dev.berth.wire.GpuQuarantine;
import dev.berth.wire.GpuRecover;

import java.util.List;
import java.util.Set;

/** The cards, who has them, and which are out of use. */
final class GpuRoutes {

    private static final int LONGEST_REASON = 200;

    private static final Param<Boolean> PROCESSES =
            Param.flag("processes", "true: also the processes on each, whoever's they are");

    static final Param<Long> INDEX = Param.number("id", "the GPU's number", 0, Integer.MAX_VALUE);

    private static final Doc ALL_DOC =
            Doc.of("All GPUs ever seen here, with their load and the tasks that hold them")
                    .asking(PROCESSES)
                    .givingMany(200, GpuInfo.class)
                    .refusing(422);

    private static final Doc QUARANTINE_DOC =
            Doc.of("Nothing new starts on the GPU; what runs there finishes")
                    .taking(GpuQuarantine.class)
                    .giving(200, GpuInfo.class)
                    .refusing(400, 404, 409, 422, 503, 507);

    private static final Doc RECOVER_DOC =
            Doc.of(
                            "A GPU that is out of use is tested, and used again if it passes; with"
                                    + " force it is used again at once")
                    .taking(GpuRecover.class)
                    .giving(200, GpuInfo.class)
                    .refusing(400, 404, 409, 422, 503, 507);

    private final Desk desk;
    private final Gpus gpus;

    GpuRoutes(Desk desk, Gpus gpus) {
        this.desk = desk;
        this.gpus = gpus;
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/gpus"),
                        Access.SERVED,
                        ALL_DOC,
                        call -> Answer.ok(gpus.all(call.query(PROCESSES).orElse(false)))),
                Route.post(
                        PathPattern.of("/api/gpus/{id}/quarantine", INDEX),
                        Access.ADMIN,
                        QUARANTINE_DOC,
                        this::quarantine),
                Route.post(
                        PathPattern.of("/api/gpus/{id}/recover", INDEX),
                        Access.ADMIN,
                        RECOVER_DOC,
                        this::recover));
    }

    private Answer quarantine(Call call) throws Refused {
        int index = index(call);
        var fields = call.body().fields();
        fields.expect(Set.of("reason"), Set.of());
        var reason = fields.requiredText("reason").strip();
        if (reason.isEmpty() || reason.length() > LONGEST_REASON || !reason.equals(line(reason))) {
            throw Refused.invalid(
                    "reason.invalid",
                    "reason",
                    "reason is one line of 1 to " + LONGEST_REASON + " characters.");
        }
        var now = desk.engine().now();
        return done(new Command.TakeOut(now, call.caller().owner(), index, reason), index);
    }

    private static String line(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }

    private Answer recover(Call call) throws Refused {
        int index = index(call);
        var fields = call.body().fields();
        fields.expect(Set.of("force"), Set.of());
        boolean isForced = fields.flag("force");
        var now = desk.engine().now();
        return done(new Command.HandBack(now, call.caller().owner(), index, isForced), index);
    }

    private Answer done(Command.Request request, int index) throws Refused {
        var reply = desk.reply(request);
        if (!(reply instanceof Reply.Noted)) {
            throw Desk.refused(reply);
        }
        return Answer.ok(gpus.at(index));
    }

    static int index(Call call) throws Refused {
        return call.path(INDEX).intValue();
    }
}
