package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.UsageReader;
import dev.berth.cli.text.Amount;
import dev.berth.wire.UsageReport;

import java.util.List;

/** Who had how much of the cards, how long they waited, and how well it was used. */
public final class Usage implements Command {

    private static final Option DAYS = Option.valued("--days", "N", "of the last N days (7)");

    private static final int USUAL_DAYS = 7;
    private static final int MOST_DAYS = 366;

    @Override
    public Syntax syntax() {
        return new Syntax(
                "usage",
                "",
                "Show who had how much of the GPUs, and how well it was used",
                List.of(DAYS, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        given.expectNoArguments();
        String typed = given.value(DAYS);
        int days = typed == null ? USUAL_DAYS : Amount.count(typed).orElse(0);
        if (days < 1 || days > MOST_DAYS) {
            throw new UsageError("--days takes a number from 1 to " + MOST_DAYS);
        }
        try (Link link = Link.open(given, around)) {
            Reply reply = link.get("/api/usage?days=" + days);
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
                return 0;
            }
            UsageReport report = UsageReader.report(link.json(reply));
            if (report.users().isEmpty()) {
                String time = days == 1 ? "day" : days + " days";
                around.out().println("Nothing ran in the last " + time + ".");
            } else {
                UsageTable table = new UsageTable(report);
                around.out().print(table.render(around.width(), around.colours()));
            }
            return 0;
        }
    }
}
