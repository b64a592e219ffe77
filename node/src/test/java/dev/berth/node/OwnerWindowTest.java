package dev.berth.node;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.node.process.SearchPath;
import dev.berth.node.process.UserSwitch;
import dev.berth.node.shim.ShimChoice;
import dev.berth.node.window.TmuxWindows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The window of a task belongs to the tmux server of its owner. Needs root. */
@Isolated("its node is the parent of all orphans of this JVM")
class OwnerWindowTest {

    @TempDir Path root;

    @Test
    void theWindowIsInTheServerOfTheOwnerAndIsNoLeftover() throws Exception {
        assumeTrue(SearchPath.SYSTEM.find("tmux").isPresent(), "there is no tmux");
        try (var node =
                ManyUsersNode.start(
                        root, 3, ShimChoice.AUTO, TmuxWindows.WindowMode.IF_AVAILABLE)) {
            var alice = node.alice;
            var id = node.launch(alice, "echo up; until [ -e ~/end ]; do sleep 0.1; done");
            try {
                eventually("the window", () -> sessions(node).contains("task_" + id.task()));
                eventually(
                        "it shows the log",
                        () -> tmux(node, "capture-pane", "-p", "-t", "=task_1:").contains("up"));
                assertThat(tmux(node, "display", "-p", "-t", "=task_1:", "#{socket_path}"))
                        .contains("tmux-" + alice.uid());
            } finally {
                var _ = run(node, List.of("touch", alice.home().resolve("end").toString()));
            }
            assertThat(node.end(id).leftovers()).isEmpty();
            eventually("the window is closed", () -> !sessions(node).contains("task_1"));
            var _ = tmux(node, "kill-server");
        }
    }

    private static String sessions(ManyUsersNode node) throws IOException {
        return tmux(node, "list-sessions");
    }

    private static String tmux(ManyUsersNode node, String... arguments) throws IOException {
        var command = new ArrayList<>(List.of("tmux", "-L", "berth"));
        command.addAll(List.of(arguments));
        return run(node, command);
    }

    private static String run(ManyUsersNode node, List<String> arguments) throws IOException {
        var command = new ArrayList<>(UserSwitch.to(node.alice));
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("TMUX");
        builder.environment().put("HOME", node.alice.home().toString());
        var process = builder.start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
