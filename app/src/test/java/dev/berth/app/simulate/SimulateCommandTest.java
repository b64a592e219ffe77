package dev.berth.app.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Cli;
import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliClock;
import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonParser.JsonNumber;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

class SimulateCommandTest {

    @TempDir Path directory;

    private record Printed(int status, String out, String err) {}

    @BeforeEach
    void writeTrace() throws Exception {
        Files.writeString(
                directory.resolve("jobs.csv"),
                """
                job_id,vc_or_group,submit_s,duration_s,gpu_num
                a,x,0,100,3
                b,x,1,50,4
                c,y,2,98,1
                d,y,3,98,1
                """);
    }

    @Test
    void comparesPoliciesInATableWithTheHashesOfTheirStarts() {
        var printed = simulate("--trace", "jobs.csv", "--cluster", "1x4", "--policy", "fifo,easy");

        assertThat(printed.status()).isZero();
        assertThat(printed.out()).containsPattern("mean wait +1m 39s +1m 2s\n");
        assertThat(printed.out()).containsPattern("starts_sha256 [0-9a-f]{64} easy\n");
    }

    @Test
    void oneResultIsAFlatObjectAndSeveralAreByPolicy() throws Exception {
        var one = json("--trace", "jobs.csv", "--cluster", "1x4", "--policy", "easy", "--starts");
        var two = json("--trace", "jobs.csv", "--cluster", "1x4", "--policy", "sjf,easy");

        assertThat(one.get("policy")).isEqualTo("easy");
        assertThat(one.get("starts")).isEqualTo(numbers("0", "100", "2", "150"));
        assertThat(one.get("mean_wait_s")).isEqualTo(new JsonNumber("61.5"));
        var results = (Map<?, ?>) two.get("results");
        assertThat(results.keySet()).hasToString("[sjf, easy]");
        assertThat(((Map<?, ?>) results.get("easy")).get("starts_sha256"))
                .isEqualTo(one.get("starts_sha256"));
    }

    @Test
    void virtualClustersAndFiltersSelectJobs() throws Exception {
        var clusters = json("--trace", "jobs.csv", "--vc-nodes", "y=1x1", "--policy", "fifo");
        var filtered =
                json(
                        "--trace=jobs.csv",
                        "--cluster=1x1",
                        "--filter=vc_or_group=y",
                        "--policy=fifo");

        assertThat(clusters.get("rejected")).isEqualTo(new JsonNumber("2"));
        assertThat(((Map<?, ?>) clusters.get("per_vc")).keySet()).hasToString("[y]");
        assertThat(filtered.get("rejected")).isEqualTo(new JsonNumber("0"));
        assertThat(filtered.get("starts_sha256")).isEqualTo(clusters.get("starts_sha256"));
    }

    @Test
    void drawsAChart() throws Exception {
        var printed = simulate("--trace", "jobs.csv", "--cluster", "1x4", "--svg", "chart.svg");

        assertThat(printed.status()).isZero();
        assertThat(directory.resolve("chart.svg")).content().contains("jobs.csv: 4 jobs on 4 GPUs");
    }

    @ParameterizedTest(name = "{1} {0}")
    @CsvSource(
            delimiter = ';',
            value = {
                "2; ; either --cluster",
                "2; --cluster 1x4; either --trace FILE",
                "2; --trace jobs.csv --cluster 4; not NODESxGPUS",
                "2; --trace jobs.csv --cluster 1x4 --nodes jobs.csv; either --cluster",
                "2; --trace jobs.csv --cluster 1x4 --policy fastest; --policy: a policy is one of"
                        + " fifo",
                "2; --trace jobs.csv --cluster 1x4 --placement best; --placement is count",
                "2; --trace jobs.csv --cluster 1x4 --partition vc; needs --vc-nodes",
                "2; --trace jobs.csv --vc-nodes y=1; how many GPUs",
                "2; --trace jobs.csv --cluster 1x4 --filter y; COLUMN=VALUE",
                "2; --trace jobs.csv --cluster 1x4 --starts; needs --json",
                "1; --trace none.csv --cluster 1x4; there is no file none.csv",
                "1; --trace . --cluster 1x4; is a directory",
                "1; --trace jobs.csv --cluster 1x4 --filter vc_or_group=z; no job of the trace",
                "1; --trace jobs.csv --nodes jobs.csv; jobs.csv, line 2: the table has no column",
                "1; --trace jobs.csv --cluster 1x4 --svg no/where.svg; cannot write"
            })
    void refusesWhatItCannotUse(int status, String options, String message) {
        var printed = simulate(options == null ? new String[0] : options.split(" "));

        assertThat(printed.err()).contains(message);
        assertThat(printed.status()).isEqualTo(status);
    }

    private static List<JsonNumber> numbers(String... texts) {
        return Stream.of(texts).map(JsonNumber::new).toList();
    }

    private Map<?, ?> json(String... options) throws Exception {
        var printed =
                simulate(
                        Stream.concat(Stream.of(options), Stream.of("--json"))
                                .toArray(String[]::new));
        assertThat(printed.err()).isEmpty();
        return (Map<?, ?>) JsonParser.parse(printed.out());
    }

    private Printed simulate(String... options) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var context =
                new CallContext(
                        InputStream.nullInputStream(),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        Map.of(),
                        directory,
                        false,
                        () -> 0,
                        CliClock.SYSTEM);
        var arguments =
                Stream.concat(Stream.of("simulate"), Stream.of(options)).toArray(String[]::new);
        int status = new Cli(List.of(new SimulateCommand())).run(arguments, context);
        return new Printed(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
