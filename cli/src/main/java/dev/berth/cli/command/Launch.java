package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.QueueReader;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.text.Clean;
import dev.berth.wire.ExperimentRefused;
import dev.berth.wire.Reason;

import java.util.List;

/** Starts drafts now, past the queue, where their cards can be had. */
public final class Launch implements Command {

    private static final Option FORCE =
            Option.flag("--force", "also on cards that others use, but not on another task's");

    private static final int CONFLICT = 409;
    private static final String BUSY = "start.busy";

    @Override
    public Syntax syntax() {
        return new Syntax(
                "launch",
                "ID…",
                "Start drafts now, past the queue, if their cards are free",
                List.of(FORCE, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        String body = given.has(FORCE) ? "{\"force_start\":true}" : "{}";
        return EachTask.run(
                given,
                around,
                (id, link) -> {
                    Reply reply =
                            link.askAnyway(Request.post("/experiments/" + id + "/start/", body));
                    if (reply.isRefusal()) {
                        throw new Refused(refusal(id, reply, link));
                    }
                    String status = QueueReader.done(link.json(reply)).experiment().status();
                    return new EachTask.Outcome(reply, id + " " + Clean.line(status), 0);
                });
    }

    private static String refusal(long id, Reply reply, Link link) {
        String said = Link.explanation(reply);
        if (reply.status() != CONFLICT) {
            return said;
        }
        StringBuilder text = new StringBuilder(said);
        ExperimentRefused refused = QueueReader.refused(link.json(reply));
        reasons(refused.reasons(), said, text);
        if (refused.code().equals(BUSY)) {
            text.append("\n  to wait for its turn: berth queue ").append(id);
        }
        return text.toString();
    }

    /** Each card's, a line each, unless it has been said already. */
    private static void reasons(List<Reason> reasons, String said, StringBuilder text) {
        for (Reason reason : reasons) {
            String detail = Clean.line(reason.detail());
            if (!said.contains(detail)) {
                text.append("\n  ").append(detail);
            }
            reasons(reason.parts(), said, text);
        }
    }
}
