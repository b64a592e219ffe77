package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.QueueReader;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.text.Amount;
import dev.berth.cli.text.Clean;
import dev.berth.wire.QueuePosition;

import java.util.List;

/** The waiting tasks, line by line; or, with ids, drafts that are to wait from now on. */
public final class Queue implements Command {

    private static final Option NUMBER =
            Option.valued("-n", "N", "only the first N of each line (100)");

    private static final int USUAL_NUMBER = 100;
    private static final int MOST = 1000;

    @Override
    public Syntax syntax() {
        return new Syntax(
                "queue",
                "[ID…]",
                "Show what waits, by device; or put drafts in line",
                List.of(NUMBER, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        if (!given.arguments().isEmpty()) {
            if (given.has(NUMBER)) {
                throw new UsageError("-n goes without ids");
            }
            return EachTask.run(given, around, Queue::join);
        }
        int number = number(given);
        try (Link link = Link.open(given, around)) {
            Reply reply = link.get("/api/queue?limit=" + number);
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
            } else {
                QueueText queue = new QueueText(QueueReader.queue(link.json(reply)));
                around.out().print(queue.render(around.width(), around.colours()));
            }
            return 0;
        }
    }

    private static int number(Options given) {
        String typed = given.value(NUMBER);
        int number = typed == null ? USUAL_NUMBER : Amount.count(typed).orElse(0);
        if (number < 1 || number > MOST) {
            throw new UsageError("-n takes a number from 1 to " + MOST);
        }
        return number;
    }

    private static EachTask.Outcome join(long id, Link link) {
        Reply reply = link.ask(Request.post("/experiments/" + id + "/queue/", ""));
        String status = QueueReader.done(link.json(reply)).experiment().status();
        return new EachTask.Outcome(reply, id + " " + Clean.line(status) + place(id, link), 0);
    }

    /** It has joined, whatever becomes of this question; and it may have started meanwhile. */
    private static String place(long id, Link link) {
        try {
            QueuePosition place =
                    QueueReader.position(link.json(link.get("/api/queue/position/" + id)));
            Integer position = place.position();
            return position == null ? "" : ", " + TaskCard.position(position);
        } catch (Refused unknown) {
            return "";
        }
    }
}
