package dev.berth.cli.manual;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Writes the manual pages and the completion of shells, as packages install them. */
public final class ManualCommand implements CliCommand {

    private final Supplier<List<CommandSyntax>> commands;

    public ManualCommand(Supplier<List<CommandSyntax>> commands) {
        this.commands = commands;
    }

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "manual",
                "DIR",
                "Write manual pages and the completion of bash, zsh and fish below a directory",
                List.of());
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws IOException {
        if (options.arguments().size() != 1) {
            throw new UsageError("name one directory, like ~/.local/share");
        }
        var root = context.cwd().resolve(options.arguments().getFirst());
        var all = commands.get();
        write(root.resolve("man/man1/berth.1"), ManualPage.ofProgram(all));
        for (var command : all) {
            write(
                    root.resolve("man/man1/berth-" + command.name() + ".1"),
                    ManualPage.ofCommand(command));
        }
        write(root.resolve("bash-completion/completions/berth"), ShellCompletion.bash(all));
        write(root.resolve("zsh/vendor-completions/_berth"), ShellCompletion.zsh(all));
        write(root.resolve("fish/vendor_completions.d/berth.fish"), ShellCompletion.fish(all));
        return 0;
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
