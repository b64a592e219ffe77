package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;

/** A user asks why a task waits, and does what {@code berth why} prints. */
@ExtendWith(ServerHarnessExtension.class)
final class WhySuggestionsTest {

    private final ServerHarness harness;
    private final TestApi api;

    WhySuggestionsTest(ServerHarness harness) {
        this.harness = harness;
        this.api = harness.simulatedGpus(2).start();
    }

    @Test
    void theTaskStartsAfterThePrintedCommand() throws IOException {
        var gate = new CommandGate(harness.file("gate"));
        long holder = api.submit(TaskBuilder.oneGpu(gate.command()));
        api.awaitPhase(holder, "running");
        var script = Files.writeString(harness.file("script.sh"), "true\n");
        assertThat(harness.run("submit", "--dry-run", script.toString()))
                .isEqualTo("would start now on GPU 1\n");
        long pair = api.submit(TaskBuilder.gpus(2, "true"));

        var text = harness.run("why", Long.toString(pair));

        assertThat(text)
                .contains("Needs 2 GPUs; free for it now: 1.", "is held by task " + holder + ".")
                .contains("  with 1 GPU: now\n      berth edit " + pair + " --gpus 1\n");
        var words = printedCommand(text);
        harness.run(words[1], Arrays.copyOfRange(words, 2, words.length));
        assertThat(api.awaitEnd(pair).path("status").asString()).isEqualTo("completed");
        assertThat(harness.run("why", Long.toString(pair))).contains("It has completed.");
        gate.open();
    }

    private static String[] printedCommand(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> line.startsWith("berth edit "))
                .findFirst()
                .orElseThrow()
                .split(" ", -1);
    }
}
