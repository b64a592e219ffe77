package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.cli.text.TerminalWidth;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a user sees in a real terminal. */
@ExtendWith(ServerHarnessExtension.class)
final class TerminalTest {

    private static final String LONG_NAME =
            "resnet50-imagenet-augmented-cosine-schedule-learning-rate-0.001-seed-";

    private final ServerHarness harness;

    TerminalTest(ServerHarness harness) {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "util-linux is installed");
        this.harness = harness;
    }

    private List<String> ls(int columns) {
        return PseudoTerminal.run(harness, columns, "ls").stdout().lines().toList();
    }

    @Test
    void aListFitsTheTerminalAndUsesItsWidth() {
        var api = harness.start();
        api.client().post("/api/scheduler/stop", "").expect(200);
        for (int seed = 1; seed <= 2; seed++) {
            api.submit(
                    TaskBuilder.gpus(2, "true")
                            .named(LONG_NAME + seed)
                            .with("priority", "HIGH")
                            .with("memory_gb", 8)
                            .with("lane", "nightly-experiments-of-the-group")
                            .with("timeout_seconds", 5400));
        }
        for (int columns : List.of(80, 120, 200)) {
            var lines = ls(columns);
            assertThat(lines).as("at %d columns", columns).hasSize(3);
            assertThat(lines)
                    .allSatisfy(
                            line ->
                                    assertThat(TerminalWidth.width(line))
                                            .isLessThanOrEqualTo(columns));
            assertThat(lines.get(1)).contains("seed-1").contains("queued");
            assertThat(lines.get(2)).contains("seed-2");
        }
        assertThat(ls(80).getFirst()).contains("ID", "NAME", "STATUS").doesNotContain("LIMIT");
        assertThat(ls(120).getFirst()).contains("LIMIT");
        assertThat(ls(120).get(1)).doesNotContain(LONG_NAME);
        assertThat(ls(200).get(1)).contains(LONG_NAME + 1);
    }
}
