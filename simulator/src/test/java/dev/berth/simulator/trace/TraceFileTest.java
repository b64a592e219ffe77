package dev.berth.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

class TraceFileTest {

    private static final String HEADER =
            "job_id,user,vc_or_group,submit_s,duration_s,gpu_num,gpu_milli,gpu_mem_mb,gpu_type,cpu,"
                    + "state,mem_mb\n";

    @TempDir Path directory;

    @Test
    void readsEveryColumn() throws Exception {
        var jobs = read(HEADER + "a,ann,vc1,5,60,1,320,,T4|P100,3.152,Running,2048\n");

        assertThat(jobs)
                .containsExactly(
                        new Job(
                                0,
                                "a",
                                "ann",
                                "vc1",
                                5,
                                60,
                                new JobNeed(1, 320, 3152, 2048, List.of("T4", "P100"))));
    }

    @Test
    void readsGzipLineEndsOfWindowsAMarkAndQuotes() throws Exception {
        var file = directory.resolve("jobs.csv.gz");
        try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(
                    "\ufeffjob_id,submit_s,duration_s,gpu_num\r\n\"a,\"\"b\",0,1,2\r\n\r\n"
                            .getBytes(StandardCharsets.UTF_8));
        }

        assertThat(TraceFile.read(file, List.of()))
                .containsExactly(new Job(0, "a,\"b", "", "", 0, 1, JobNeed.ofGpus(2)));
    }

    @Test
    void aFilterKeepsItsRows() throws Exception {
        var text = HEADER + "a,,x,0,1,1,,,,,,\nb,,y,0,1,1,,,,,,\nc,,x,0,1,1,,,,,,\n";
        Files.writeString(directory.resolve("jobs.csv"), text);

        var jobs =
                TraceFile.read(
                        directory.resolve("jobs.csv"), List.of(new RowFilter("vc_or_group", "x")));

        assertThat(jobs).extracting(Job::id).containsExactly("a", "c");
        assertThatThrownBy(
                        () ->
                                TraceFile.read(
                                        directory.resolve("jobs.csv"),
                                        List.of(new RowFilter("vc", "x"))))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("no column vc");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = ';',
            value = {
                "a,,,x,1,1,,,,,,; line 3, column submit_s: is not a whole number",
                "a,,,-1,1,1,,,,,,; line 3, column submit_s",
                "a,,,0,0,1,,,,,,; line 3, column duration_s: is not a whole number from 1",
                "a,,,0,1,,,,,,,; line 3, column gpu_num: is empty",
                "a,,,0,1,1,1001,,,,,; line 3, column gpu_milli",
                "a,,,0,1,1,,,,many,,; line 3, column cpu: is not a number",
                "a,,,0,1,1,,,,,,1.5; line 3, column mem_mb",
                "first,,,0,1,1,,,,,,; line 3, column job_id: there is a second job first",
                "a,0,1,1; line 3: has 4 fields, not 12",
                "\"a,,,0,1,1,,,,,,; line 3: field 1 has a stray quote"
            })
    void namesLineAndColumnOfAWrongRow(String row, String message) {
        assertThatThrownBy(() -> read(HEADER + "first,,,0,1,1,,,,,,\n" + row + "\n"))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining(message);
    }

    @Test
    void namesAMissingColumnAndFilesThatAreNoTable() throws Exception {
        assertThatThrownBy(() -> read("job_id,submit_s,duration_s\na,0,1\n"))
                .hasMessageContaining("no column gpu_num");
        assertThatThrownBy(() -> read("")).hasMessageContaining("empty");
        assertThatThrownBy(() -> read("a,a\n")).hasMessageContaining("twice");
        var damaged = directory.resolve("damaged.gz");
        try (var out = new GZIPOutputStream(Files.newOutputStream(damaged))) {
            out.write(HEADER.getBytes(StandardCharsets.UTF_8));
        }
        var bytes = Files.readAllBytes(damaged);
        Files.write(damaged, Arrays.copyOf(bytes, bytes.length / 2));
        assertThatThrownBy(() -> TraceFile.read(damaged, List.of()))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("damaged or incomplete");
        var binary = directory.resolve("binary.csv");
        Files.write(binary, new byte[] {'a', (byte) 0xff, (byte) 0xfe, '\n'});
        assertThatThrownBy(() -> TraceFile.read(binary, List.of()))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("not UTF-8");
    }

    private List<Job> read(String text) throws IOException, InvalidInput {
        var file = directory.resolve("trace.csv");
        Files.writeString(file, text);
        return TraceFile.read(file, List.of());
    }
}
