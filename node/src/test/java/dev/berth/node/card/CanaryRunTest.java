package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Against a CUDA library of our own. */
class CanaryRunTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir private Path folder;

    @Test
    void aCardThatGivesBackWhatWasWrittenPasses() throws Exception {
        assertThat(canary().run("GPU-1", 0)).isEmpty();
    }

    @Test
    void itIsShownTheOneCardOnly() throws Exception {
        assertThat(canary().run("GPU-2", 0).orElseThrow())
                .isEqualTo("cuDeviceGet: no CUDA-capable device is detected");
    }

    @Test
    void whatTheDriverSaysIsTheReason() throws Exception {
        assertThat(canary("-DFAILS").run("GPU-1", 0).orElseThrow())
                .isEqualTo("cuMemsetD32_v2: unspecified launch failure");
    }

    @Test
    void memoryThatForgetsIsNoticed() throws Exception {
        assertThat(canary("-DFORGETS").run("GPU-1", 0).orElseThrow()).contains("something else");
    }

    @Test
    void oneThatHangsIsKilled() throws Exception {
        var library = FakeLibrary.compile(folder, "fake-cuda.c", "-DHANGS").toString();
        var canary = new CanaryRun(Optional.empty(), library, Duration.ofSeconds(1));
        assertThat(canary.run("GPU-1", 0).orElseThrow()).contains("did not end within 1 s");
    }

    @Test
    void whereThereIsNoCudaReadingsAloneDecide() {
        var canary = new CanaryRun(Optional.empty(), "/nowhere/libcuda.so.1", PATIENCE);
        assertThat(canary.run("GPU-1", 0)).isEmpty();
    }

    @Test
    void aCommandTakesItsPlaceAndItsLastLineIsTheReason() throws Exception {
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

    private static CanaryRun command(String script) {
        return new CanaryRun(Optional.of(script), CanaryRun.USUAL_LIBRARY, PATIENCE);
    }

    private CanaryRun canary(String... options) throws Exception {
        var library = FakeLibrary.compile(folder, "fake-cuda.c", options);
        return new CanaryRun(Optional.empty(), library.toString(), PATIENCE);
    }
}
