package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.WireReader;
import dev.berth.wire.GpuInfo;

import java.util.ArrayList;
import java.util.List;

/** The cards, one in a line: how warm, how busy, how full, and who is on it. */
public final class Gpus implements Command {

    @Override
    public Syntax syntax() {
        return new Syntax(
                "gpus", "", "Show the GPUs: load, memory and who is on them", List.of(Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        given.expectNoArguments();
        try (Link link = Link.open(given, around)) {
            Reply reply = link.get("/api/gpus?processes=true");
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
                return 0;
            }
            if (!(link.json(reply) instanceof List<?> all)) {
                throw new Refused("the server sent no list of GPUs");
            }
            List<GpuInfo> gpus = new ArrayList<>();
            for (Object one : all) {
                gpus.add(WireReader.gpu(one));
            }
            if (gpus.isEmpty()) {
                around.out().println("No GPU has ever been seen here. `berth health` may say why.");
            } else {
                long now = around.time().now().getEpochSecond();
                around.out()
                        .print(new GpuTable(gpus, now).render(around.width(), around.colours()));
            }
            return 0;
        }
    }
}
