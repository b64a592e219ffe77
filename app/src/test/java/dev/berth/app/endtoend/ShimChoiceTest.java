package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.node.shim.NativeShim;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program that starts tasks is the configured one, and the API names it. */
@ExtendWith(ServerHarnessExtension.class)
final class ShimChoiceTest {

    @ParameterizedTest
    @CsvSource({"auto, native, berth-shim", "native, native, berth-shim", "bash, bash, bash"})
    void theConfiguredShimStartsTasks(
            String configured, String named, String program, ServerHarness harness) {
        assumeTrue(named.equals("bash") || NativeShim.problem().isEmpty(), "needs the native shim");
        var api = harness.configure("shim: " + configured + "\n").start();

        var server = api.client().get("/api/server").expect(200);
        assertThat(server.path("shim").asString()).isEqualTo(named);
        long id = api.submit(TaskBuilder.cpu("echo started by $(< /proc/$PPID/comm)."));
        api.awaitEnd(id);
        assertThat(api.log(id, 100)).contains("started by " + program + ".");
    }
}
