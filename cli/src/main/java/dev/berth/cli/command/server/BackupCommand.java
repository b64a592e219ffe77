package dev.berth.cli.command.server;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.BackupInfo;

import java.util.List;

/** Makes a backup of the database of a running server. */
public final class BackupCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "backup",
                "",
                "Back up the database of the running server now",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        options.expectNoArguments();
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.send(ApiRequest.post("/api/backup", ""));
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            BackupInfo made = WireReader.backupInfo(connection.json(reply));
            context.out()
                    .println(
                            SafeText.line(made.file())
                                    + " ("
                                    + (made.bytes() + 1023) / 1024
                                    + " KiB, verified)");
            return 0;
        }
    }
}
