package dev.berth.cli.command;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The same for every task that is named; one that is refused does not stop the others. */
final class EachTask {

    /** What is done with one task. */
    interface Step {
        Outcome on(long id, Link link) throws InterruptedException;
    }

    /**
     * How it went with one task.
     *
     * @param text what to print, unless JSON is asked for
     */
    record Outcome(Reply reply, String text, int status) {}

    private EachTask() {}

    /**
     * @return the first status that is not 0
     */
    static int run(Options given, Surroundings around, Step step) throws InterruptedException {
        return run(TaskIds.of(given.arguments()), given, around, step);
    }

    static int run(List<Long> ids, Options given, Surroundings around, Step step)
            throws InterruptedException {
        boolean json = given.has(Option.JSON);
        List<String> bodies = new ArrayList<>();
        int status = 0;
        try (Link link = Link.open(given, around)) {
            for (long id : ids) {
                int one;
                try {
                    Outcome outcome = step.on(id, link);
                    one = outcome.status();
                    if (json) {
                        bodies.add(outcome.reply().body().strip());
                    } else {
                        around.out().println(outcome.text());
                        around.out().flush();
                    }
                } catch (Refused refused) {
                    one = 1;
                    around.note(naming(id, refused.getMessage()));
                }
                status = status == 0 ? one : status;
            }
        }
        if (json && !bodies.isEmpty()) {
            around.out().println(ids.size() == 1 ? bodies.getFirst() : array(bodies));
        } else if (json && ids.size() > 1) {
            around.out().println("[]");
        }
        return status;
    }

    private static String array(List<String> bodies) {
        return "[" + String.join(",", bodies) + "]";
    }

    private static String naming(long id, String message) {
        boolean named = message.toLowerCase(Locale.ROOT).contains("task " + id);
        return named ? message : "task " + id + ": " + message;
    }
}
