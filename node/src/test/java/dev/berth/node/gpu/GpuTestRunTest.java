package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** With a fake CUDA library. */
class GpuTestRunTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir private Path folder;

    @Test
    void aGpuWithWorkingMemoryPasses() throws Exception {
        assertThat(canary().run("GPU-1", 0)).isEmpty();
    }

    @Test
    void onlyTheTestedGpuIsVisible() throws Exception {
        assertThat(canary().run("GPU-2", 0).orElseThrow())
                .isEqualTo("cuDeviceGet: no CUDA-capable device is detected");
    }

    @Test
    void theDriversMessageIsTheReason() throws Exception {
        assertThat(canary("-DFAILS").run("GPU-1", 0).orElseThrow())
                .isEqualTo("cuMemsetD32_v2: unspecified launch failure");
    }

    @Test
    void wrongMemoryContentFailsTheTest() throws Exception {
        assertThat(canary("-DFORGETS").run("GPU-1", 0).orElseThrow())
                .contains("does not return what was written");
    }

    @Test
    void aHangingProgramIsKilled() throws Exception {
        var library = FakeLibrary.compile(folder, "fake-cuda.c", "-DHANGS").toString();
        var canary = new GpuTestRun(Optional.empty(), library, Duration.ofSeconds(1));
        assertThat(canary.run("GPU-1", 0).orElseThrow()).contains("did not end within 1 s");
    }

    @Test
    void withoutCudaReadingsDecide() {
        var canary = new GpuTestRun(Optional.empty(), "/nowhere/libcuda.so.1", PATIENCE);
        assertThat(canary.run("GPU-1", 0)).isEmpty();
    }

    @Test
    void aConfiguredCommandReplacesTheTestAndItsLastLineIsTheReason() throws Exception {
        var seen = folder.resolve("seen");
        var passes =
                command("echo \"$CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER\" > " + seen + "; exit 0");
        assertThat(passes.run("GPU-1", 3)).isEmpty();
        assertThat(Files.readString(seen)).isEqualTo("3 PCI_BUS_ID\n");
        assertThat(command("echo one; echo two >&2; echo; exit 4").run("GPU-1", 0)).contains("two");
        assertThat(command("exit 3").run("GPU-1", 0)).contains("the test ended with status 3");
        assertThat(command("yes | head -c 3000000; echo last; exit 1").run("GPU-1", 0))
                .contains("last");
    }

    private static GpuTestRun command(String script) {
        return new GpuTestRun(Optional.of(script), GpuTestRun.DEFAULT_LIBRARY, PATIENCE);
    }

    private GpuTestRun canary(String... options) throws Exception {
        var library = FakeLibrary.compile(folder, "fake-cuda.c", options);
        return new GpuTestRun(Optional.empty(), library.toString(), PATIENCE);
    }
}
