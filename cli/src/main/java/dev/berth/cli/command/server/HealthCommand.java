package dev.berth.cli.command.server;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TextStyle;
import dev.berth.jsontext.JsonWriter;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints the health of each part of the server. */
public final class HealthCommand implements CliCommand {

    private static final int NAME_WIDTH = 11;

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "health",
                "",
                "Check the health of the server and its parts; exits 1 on a problem",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        List<HealthChecks.CheckResult> findings = findings(options, context);
        boolean isHealthy = true;
        for (HealthChecks.CheckResult finding : findings) {
            isHealthy &= finding.ok();
        }
        if (options.has(CommandOption.JSON)) {
            context.out().println(json(isHealthy, findings));
        } else {
            for (HealthChecks.CheckResult finding : findings) {
                context.out().println(line(finding, context.usesColours()));
            }
        }
        return isHealthy ? 0 : 1;
    }

    private static List<HealthChecks.CheckResult> findings(
            ParsedOptions options, CallContext context) {
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            return new HealthChecks(connection, context.clock().now().getEpochSecond()).all();
        } catch (CommandFailure unreachable) {
            return List.of(new HealthChecks.CheckResult("server", false, unreachable.getMessage()));
        }
    }

    private static String line(HealthChecks.CheckResult finding, boolean colours) {
        String name = finding.name().equals(HealthChecks.GPUS) ? "GPUs" : finding.name();
        String status = finding.ok() ? "ok  " : "FAIL";
        return name
                + " ".repeat(NAME_WIDTH - name.length())
                + (finding.ok() ? TextStyle.GREEN : TextStyle.RED).apply(status, colours)
                + "  "
                + SafeText.line(finding.detail());
    }

    private static String json(boolean isHealthy, List<HealthChecks.CheckResult> findings) {
        List<@Nullable Object> checks = new ArrayList<>();
        for (HealthChecks.CheckResult finding : findings) {
            Map<String, Object> check = new LinkedHashMap<>();
            check.put("name", finding.name());
            check.put("ok", finding.ok());
            check.put("detail", finding.detail());
            checks.add(check);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("status", isHealthy ? "ok" : "failing");
        all.put("checks", checks);
        return JsonWriter.write(all);
    }
}
