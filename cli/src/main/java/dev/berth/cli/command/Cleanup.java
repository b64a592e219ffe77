package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.RunReader;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;
import dev.berth.wire.CleanupList;
import dev.berth.wire.LeftProcess;
import dev.berth.wire.LeftRecord;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** What abnormal ends have left: shown first, removed when somebody says so. */
public final class Cleanup implements Command {

    private static final Option YES = Option.flag("--yes", "remove it without asking").or("-y");
    private static final String PATH = "/api/cleanup";

    @Override
    public Syntax syntax() {
        return new Syntax(
                "cleanup",
                "",
                "Show what abnormal ends have left behind, and remove it",
                List.of(YES, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException {
        given.expectNoArguments();
        try (Link link = Link.open(given, around)) {
            Reply listed = link.get(PATH);
            CleanupList left = RunReader.cleanup(link.json(listed));
            boolean isNothing = left.records().isEmpty() && left.processes().isEmpty();
            if (given.has(Option.JSON)) {
                boolean isMeant = given.has(YES) && !isNothing;
                Reply reply = isMeant ? link.ask(Request.post(PATH, "")) : listed;
                around.out().println(reply.body().strip());
                return 0;
            }
            if (isNothing) {
                around.out().println("Nothing is left behind.");
                return 0;
            }
            if (!given.has(YES)) {
                print("left behind: ", left, around);
                if (!around.terminal()) {
                    throw new Refused("nothing was removed: --yes removes it");
                }
                if (!isAgreed(around)) {
                    throw new Refused("nothing was removed");
                }
            }
            // The server looks again: what it says now is what it did.
            print(
                    "removed: ",
                    RunReader.cleanup(link.json(link.ask(Request.post(PATH, "")))),
                    around);
            return 0;
        }
    }

    private static boolean isAgreed(Surroundings around) throws IOException {
        around.out().print("Remove these records and end these processes? [y/N] ");
        around.out().flush();
        String answer =
                new BufferedReader(new InputStreamReader(around.in(), StandardCharsets.UTF_8))
                        .readLine();
        return answer != null
                && List.of("y", "yes").contains(answer.strip().toLowerCase(Locale.ROOT));
    }

    private static void print(String word, CleanupList list, Surroundings around) {
        for (LeftRecord one : list.records()) {
            Long pid = one.pid();
            around.out()
                    .println(
                            word
                                    + "record "
                                    + Clean.line(one.uniId())
                                    + " ("
                                    + Clean.line(one.state())
                                    + (pid == null ? "" : ", pid " + pid)
                                    + ")");
        }
        for (LeftProcess one : list.processes()) {
            around.out().println(word + process(one, around));
        }
        if (list.records().isEmpty() && list.processes().isEmpty()) {
            around.out().println("Nothing is left behind any more.");
        }
    }

    private static String process(LeftProcess one, Surroundings around) {
        Long task = one.taskId();
        Integer attempt = one.attempt();
        OptionalLong since = Moment.epochSecond(one.since());
        long now = around.time().now().getEpochSecond();
        return "process "
                + one.pid()
                + " "
                + Clean.line(one.program())
                + (task == null ? "" : ", task " + task)
                + (attempt == null ? "" : " attempt " + attempt)
                + (since.isEmpty() ? "" : ", for " + Age.brief(now - since.getAsLong()));
    }
}
