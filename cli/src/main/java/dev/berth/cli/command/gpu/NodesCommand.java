package dev.berth.cli.command.gpu;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.wire.NodeInfo;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Lists the machines that run tasks: one, or the nodes of a Slurm cluster. */
public final class NodesCommand implements CliCommand {

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "nodes",
                "",
                "Show the machines that run tasks, their GPUs and who uses them",
                List.of(CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get("/api/nodes");
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            if (!(connection.json(reply) instanceof List<?> all)) {
                throw new CommandFailure("the server sent no list of nodes");
            }
            List<NodeInfo> nodes = new ArrayList<>();
            for (Object node : all) {
                nodes.add(WireReader.nodeInfo(node));
            }
            context.out().print(table(nodes).render(context.width(), context.usesColours()));
            return 0;
        }
    }

    private static TextTable table(List<NodeInfo> nodes) {
        TextTable table = new TextTable();
        table.add("NODE", TextTable.ColumnKind.LEFT, column(nodes, NodeInfo::name));
        table.add("STATE", TextTable.ColumnKind.LEFT, column(nodes, NodeInfo::state));
        table.add(
                "GPUS",
                TextTable.ColumnKind.LEFT,
                column(nodes, node -> String.join(", ", node.gpuTypes())));
        table.add(
                "USED",
                TextTable.ColumnKind.RIGHT,
                column(nodes, node -> node.gpusUsed() + "/" + node.gpus()));
        table.add(
                "TASKS",
                TextTable.ColumnKind.LEFT,
                column(
                        nodes,
                        node ->
                                node.taskIds().stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(","))));
        table.add(
                "USERS",
                TextTable.ColumnKind.LEFT,
                column(nodes, node -> String.join(", ", node.users())));
        table.add("REASON", TextTable.ColumnKind.NAME, column(nodes, NodesCommand::reason));
        return table;
    }

    private static String reason(NodeInfo node) {
        return node.reason() == null ? "" : node.reason();
    }

    private static List<Cell> column(List<NodeInfo> nodes, Function<NodeInfo, String> text) {
        List<Cell> cells = new ArrayList<>();
        for (NodeInfo node : nodes) {
            cells.add(Cell.of(SafeText.line(text.apply(node))));
        }
        return cells;
    }
}
