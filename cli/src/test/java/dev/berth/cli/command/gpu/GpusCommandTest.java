package dev.berth.cli.command.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.text.TerminalWidth;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class GpusCommandTest {

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aFreeGpuShowsWhenItWasReleased() {
        shown(gpu(0, "free", "\"released_at\":\"" + ago(1800) + "\""));
        assertThat(fixture.run("gpus").out())
                .isEqualTo(
                        "[0] NVIDIA H200 | 36°C,   0 % | 0 / 143771 MB | free (released 30m"
                                + " ago)\n");
    }

    @Test
    void gpusOfSeveralMachinesAreNamedWithTheirNode() {
        shown(gpu(0, "free", "\"node\":\"n1\""), gpu(0, "free", "\"node\":\"n12\""));
        assertThat(fixture.run("gpus").out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith(" [n1:0] NVIDIA H200"),
                        line -> assertThat(line).startsWith("[n12:0] NVIDIA H200"));
    }

    @Test
    void aHeldGpuNamesItsTaskAndAForeignOneItsUser() {
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
        assertThat(fixture.run("gpus").out().lines())
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
                                                "by an unknown user: a program (pid 9) and 1"
                                                        + " more"));
    }

    @Test
    void theModelsThatAreLoadedThereAreNamed() {
        shown(
                gpu(0, "free", "\"loaded_models\":[\"mace\",\"chg\\u001bnet\"]"),
                gpu(1, "busy", "\"loaded_models\":[\"mace\"]"));
        assertThat(fixture.run("gpus").out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).endsWith("| free; models mace, chg\\enet"),
                        line -> assertThat(line).endsWith("| in use; models mace"));
    }

    @Test
    void whatCannotBeReadShowsWhyAndShowsNoNumbers() {
        fixture.server()
                .on(
                        "GET /api/gpus?processes=true",
                        """
                        [{"index":0,"name":"A100","status":"unknown","memory_total_mb":40960,
                        "memory_used_mb":null,"why":"no answer from nvidia-smi for 2 s"},
                        {"index":1,"name":"A100","status":"error","memory_total_mb":40960,
                        "why":"the driver no longer lists it"}]
                        """);
        assertThat(fixture.run("gpus").out())
                .isEqualTo(
                        """
                        [0] A100 | ?°C,   ? % | ? / 40960 MB | unknown: no answer from nvidia-smi for 2 s
                        [1] A100 | ?°C,   ? % | ? / 40960 MB | error: the driver no longer lists it
                        """);
    }

    @Test
    void onANarrowTerminalLongWordsGetALineOfTheirOwnAndNothingIsWider() {
        fixture.env().put("COLUMNS", "52");
        shown(
                gpu(0, "free", "\"released_at\":\"" + ago(1800) + "\""),
                gpu(1, "free", "\"why\":null"));
        assertThat(fixture.run("gpus").out().lines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(TerminalWidth.width(line)).isLessThanOrEqualTo(52))
                .contains("    free (released 30m ago)");
    }

    @Test
    void coloursAreForTerminalsAndHostileNamesAreSafe() {
        var hostile = gpu(0, "free", "\"why\":null").replace("NVIDIA H200", "A\\u001b[31mB");
        shown(hostile);
        assertThat(fixture.run("gpus").out()).doesNotContain("\u001b");
        fixture.setTerminal(true);
        assertThat(fixture.run("gpus").out())
                .contains("\u001b[32mfree")
                .doesNotContain("\u001b[31m");
    }

    @Test
    void jsonIsTheUnchangedReply() {
        shown(gpu(3, "free", "\"why\":null"));
        assertThat(fixture.run("gpus", "--json").out()).startsWith("[{\"index\":3,");
    }

    @Test
    void whereNoGpuWasEverSeenItReportsIt() {
        shown();
        assertThat(fixture.run("gpus").out()).contains("No GPU was found");
    }

    @Test
    void aGpuThatIsOutOfUseShowsHowItComesBack() {
        shown(
                gpu(0, "error", "\"why\":\"Xid 79\",\"fault\":" + fault("xid", "testing")),
                gpu(1, "error", "\"why\":\"it rattles\",\"fault\":" + fault("person", "out")));
        assertThat(fixture.run("gpus").out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).endsWith("| error: Xid 79 (being tested)"),
                        line ->
                                assertThat(line)
                                        .endsWith(
                                                "| quarantined: it rattles (until `berth gpus"
                                                        + " recover 1`)"));
    }

    @Test
    void aGpuIsTakenOutWithAReason() {
        fixture.server()
                .on(
                        "POST /api/gpus/2/quarantine",
                        gpu(2, "error", "\"fault\":" + fault("person", "out")));
        assertThat(fixture.run("gpus", "quarantine", "2", "--reason", "it rattles").out())
                .startsWith("GPU 2 is quarantined: nothing new starts there");
        assertThat(fixture.server().received().getFirst().body())
                .isEqualTo("{\"reason\":\"it rattles\"}");
        assertThat(fixture.run("gpus", "quarantine", "2").status()).isEqualTo(2);
    }

    @Test
    void aGpuIsHandedBackAfterATestOrWithoutOne() {
        fixture.server()
                .on(
                        "POST /api/gpus/2/recover",
                        fixture.server()
                                .json(200, gpu(2, "error", "\"fault\":" + fault("xid", "testing"))),
                        fixture.server().json(200, gpu(2, "free", "\"fault\":null")));
        assertThat(fixture.run("gpus", "recover", "2").out()).startsWith("GPU 2 is being tested");
        assertThat(fixture.run("gpus", "recover", "2", "--force").out())
                .isEqualTo("GPU 2 is used again\n");
        assertThat(fixture.server().received())
                .extracting(seen -> seen.body())
                .containsExactly("{\"force\":false}", "{\"force\":true}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpus repair 0",
                "gpus recover",
                "gpus recover x",
                "gpus recover 0 1",
                "gpus --force",
                "gpus recover 0 --reason x"
            })
    void whatMakesNoSenseIsAUsageError(String words) {
        var result = fixture.run(words.split(" "));
        assertThat(result.status()).isEqualTo(2);
        assertThat(fixture.server().received()).isEmpty();
    }

    private static String fault(String kind, String fixture) {
        return "{\"kind\":\"%s\",\"why\":\"x\",\"since\":\"2026-01-01T00:00:00Z\",\"stage\":\"%s\"}"
                .formatted(kind, fixture);
    }

    private void shown(String... gpus) {
        fixture.server().on("GET /api/gpus?processes=true", "[" + String.join(",", gpus) + "]");
    }

    private String ago(long seconds) {
        return fixture.clock()
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
