package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.stage.Stage;
import dev.berth.cli.text.Cells;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class GpusTest {

    @TempDir private Path root;
    private Stage stage;

    @BeforeEach
    void open() {
        stage = new Stage(root);
    }

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void aFreeCardSaysWhenItWasReleased() {
        shown(gpu(0, "free", "\"released_at\":\"" + ago(1800) + "\""));
        assertThat(stage.run("gpus").out())
                .isEqualTo(
                        "[0] NVIDIA H200 | 36°C,   0 % | 0 / 143771 MB | free (released 30m"
                                + " ago)\n");
    }

    @Test
    void aHeldCardNamesItsTaskAndAForeignOneItsUser() {
        shown(
                gpu(
                        0,
                        "busy",
                        "\"holders\":[{\"task_id\":7,\"name\":\"train\",\"owner\":\"alice\",\"since\":\""
                                + ago(900)
                                + "\"}]"),
                gpu(
                        1,
                        "busy",
                        "\"processes\":[{\"pid\":12345,\"user\":\"bob\",\"name\":\"python\","
                                + "\"memory_mb\":3590,\"kind\":\"compute\",\"since\":\""
                                + ago(7200)
                                + "\",\"task_id\":null,\"foreign\":true}]"),
                gpu(
                        2,
                        "busy",
                        "\"processes\":[{\"pid\":9,\"user\":null,\"name\":\"\",\"memory_mb\":null,"
                                + "\"kind\":\"compute\",\"since\":null,\"foreign\":true},"
                                + "{\"pid\":8,\"kind\":\"compute\",\"foreign\":true},"
                                + "{\"pid\":7,\"kind\":\"graphics\",\"foreign\":true}]"));
        assertThat(stage.run("gpus").out().lines())
                .satisfiesExactly(
                        line ->
                                assertThat(line)
                                        .endsWith("| in use by alice: task 7 \"train\" for 15m"),
                        line ->
                                assertThat(line)
                                        .endsWith(
                                                "| in use outside Berth by bob: python (pid 12345,"
                                                        + " 3590 MB, for 2h)"),
                        line ->
                                assertThat(line)
                                        .endsWith(
                                                "by somebody unknown: a program (pid 9) and 1"
                                                        + " more"));
    }

    @Test
    void whatCannotBeReadSaysWhyAndShowsNoNumbers() {
        stage.server()
                .on(
                        "GET /api/gpus?processes=true",
                        """
                        [{"index":0,"name":"A100","status":"unknown","memory_total_mb":40960,
                        "memory_used_mb":null,"why":"no answer from nvidia-smi for 2 s"},
                        {"index":1,"name":"A100","status":"error","memory_total_mb":40960,
                        "why":"the driver no longer lists it"}]
                        """);
        assertThat(stage.run("gpus").out())
                .isEqualTo(
                        """
                        [0] A100 | ?°C,   ? % | ? / 40960 MB | unknown: no answer from nvidia-smi for 2 s
                        [1] A100 | ?°C,   ? % | ? / 40960 MB | error: the driver no longer lists it
                        """);
    }

    @Test
    void onANarrowTerminalLongWordsGetALineOfTheirOwnAndNothingIsWider() {
        stage.env().put("COLUMNS", "52");
        shown(
                gpu(0, "free", "\"released_at\":\"" + ago(1800) + "\""),
                gpu(1, "free", "\"why\":null"));
        assertThat(stage.run("gpus").out().lines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(Cells.width(line)).isLessThanOrEqualTo(52))
                .contains("    free (released 30m ago)");
    }

    @Test
    void coloursAreForTerminalsAndHostileNamesAreHarmless() {
        var hostile = gpu(0, "free", "\"why\":null").replace("NVIDIA H200", "A\\u001b[31mB");
        shown(hostile);
        assertThat(stage.run("gpus").out()).doesNotContain("\u001b");
        stage.terminal(true);
        assertThat(stage.run("gpus").out()).contains("\u001b[32mfree").doesNotContain("\u001b[31m");
    }

    @Test
    void asJsonItIsWhatTheServerSaid() {
        shown(gpu(3, "free", "\"why\":null"));
        assertThat(stage.run("gpus", "--json").out()).startsWith("[{\"index\":3,");
    }

    @Test
    void whereNoCardWasEverSeenItSaysSo() {
        shown();
        assertThat(stage.run("gpus").out()).contains("No GPU has ever been seen");
    }

    private void shown(String... gpus) {
        stage.server().on("GET /api/gpus?processes=true", "[" + String.join(",", gpus) + "]");
    }

    private String ago(long seconds) {
        return stage.time()
                .now()
                .minusSeconds(seconds)
                .toString()
                .replace("Z", ".000000Z")
                .replaceFirst("\\.\\d+\\.", ".");
    }

    private static String gpu(int index, String status, String more) {
        return """
        {"index":%d,"name":"NVIDIA H200","status":"%s","memory_total_mb":143771,\
        "memory_used_mb":0,"utilization_percent":0,"temperature_c":36,%s}\
        """
                .formatted(index, status, more);
    }
}
