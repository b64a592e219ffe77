package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Link;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Paint;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whether all is well, part by part. */
public final class Health implements Command {

    private static final int NAME_WIDTH = 11;

    @Override
    public Syntax syntax() {
        return new Syntax(
                "health",
                "",
                "Say whether all is well, part by part; exits 1 if not",
                List.of(Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        given.expectNoArguments();
        List<HealthChecks.Finding> findings = findings(given, around);
        boolean well = true;
        for (HealthChecks.Finding finding : findings) {
            well &= finding.ok();
        }
        if (given.has(Option.JSON)) {
            around.out().println(json(well, findings));
        } else {
            for (HealthChecks.Finding finding : findings) {
                around.out().println(line(finding, around.colours()));
            }
        }
        return well ? 0 : 1;
    }

    private static List<HealthChecks.Finding> findings(Options given, Surroundings around) {
        try (Link link = Link.open(given, around)) {
            return new HealthChecks(link, around.time().now().getEpochSecond()).all();
        } catch (Refused unreachable) {
            return List.of(new HealthChecks.Finding("server", false, unreachable.getMessage()));
        }
    }

    private static String line(HealthChecks.Finding finding, boolean colours) {
        String name = finding.name();
        String word = finding.ok() ? "ok  " : "FAIL";
        return name
                + " ".repeat(NAME_WIDTH - name.length())
                + (finding.ok() ? Paint.GREEN : Paint.RED).on(word, colours)
                + "  "
                + Clean.line(finding.detail());
    }

    private static String json(boolean well, List<HealthChecks.Finding> findings) {
        List<@Nullable Object> checks = new ArrayList<>();
        for (HealthChecks.Finding finding : findings) {
            Map<String, Object> check = new LinkedHashMap<>();
            check.put("name", finding.name());
            check.put("ok", finding.ok());
            check.put("detail", finding.detail());
            checks.add(check);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("status", well ? "ok" : "failing");
        all.put("checks", checks);
        return JsonText.of(all);
    }
}
