package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.Script;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;

/** The configuration file as the server reads it. */
@ExtendWith(ServerHarnessExtension.class)
final class ConfigFileTest {

    @Test
    void whatIsInForceIsShownWithWhereItCameFrom(ServerHarness harness) {
        harness.configure("scheduler:\n  reserved_gpu_ids: [1]\n");

        var api = harness.start();

        var reserved = entry(api, "scheduler.reserved_gpu_ids");
        assertThat(reserved.path("value").toString()).isEqualTo("[1]");
        assertThat(reserved.path("source").asString()).isEqualTo("config/berth.yaml:2");
        assertThat(entry(api, "port").path("source").asString()).isEqualTo("command line --port");
        assertThat(entry(api, "gpu_left").path("value").asInt()).isEqualTo(1);
        assertThat(entry(api, "gpu_left").path("source").asString()).isEqualTo("default");
    }

    @Test
    void aWrongValueStopsTheStartWithFileLineAndKey(ServerHarness harness) {
        harness.configure("port: 29214\nmemory_threshold_percent: lots\n");

        var server = harness.launch();

        assertThat(server.endsWithin(Duration.ofMinutes(3))).isTrue();
        assertThat(server.exitValue()).isEqualTo(1);
        assertThat(server.outputTail())
                .contains("config/berth.yaml:2: memory_threshold_percent is a whole number");
    }

    @Test
    void aValueThatDoesNotGoWithTheOthersIsPlacedToo(ServerHarness harness) {
        harness.configure("behind_proxy: true\npublic_url: ftp://x\n").options("--gpus", "none");

        var server = harness.launch();

        assertThat(server.endsWithin(Duration.ofMinutes(3))).isTrue();
        assertThat(server.exitValue()).isEqualTo(1);
        assertThat(server.outputTail()).contains("config/berth.yaml:2: public_url: ");
    }

    @Test
    void anUnknownKeyIsWarnedAboutAndTheServerStarts(ServerHarness harness) {
        harness.configure("memory_treshold_percent: 30\n");

        harness.start();

        assertThat(harness.server().outputTail())
                .contains(
                        "config/berth.yaml:1: there is no key memory_treshold_percent. Did you mean"
                                + " memory_threshold_percent?");
    }

    @Test
    void commandsFindTheExtraPathAndTheCondaThatAreConfigured(ServerHarness harness)
            throws IOException {
        var bin = Files.createDirectories(harness.file("tools"));
        Script.write(bin.resolve("mytool"), "#!/bin/sh\necho tool ran\n");
        var init = Files.writeString(harness.file("conda.sh"), "conda() { echo \"conda $*\"; }\n");
        harness.configure("extra_path: [" + bin + "]\nconda_init_script: " + init + "\n");
        var api = harness.env("PATH", "").start();

        long id = api.submit(TaskBuilder.cpu("conda activate x\nmytool\necho \"${PATH%%:*}\""));

        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        assertThat(TaskLifecycleTest.between(api.log(id, 100)))
                .containsExactly("conda activate x", "tool ran", bin.toString());
    }

    @Test
    void aMissingCondaScriptIsNamedWhileTasksWait(ServerHarness harness) {
        harness.configure("conda_init_script: /nowhere/conda.sh\n");
        var api = harness.start();

        long id = api.submit(TaskBuilder.cpu("true"));

        eventually(
                "the reason names the script",
                () -> api.task(id).path("wait_reasons").toString().contains("/nowhere/conda.sh"));
        assertThat(api.task(id).path("status").asString()).isEqualTo("queued");
    }

    private static JsonNode entry(TestApi api, String key) {
        return TestApi.list(api.client().get("/api/config").expect(200)).stream()
                .filter(entry -> entry.path("key").asString().equals(key))
                .findFirst()
                .orElseThrow();
    }
}
