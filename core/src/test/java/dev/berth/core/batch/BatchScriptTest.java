package dev.berth.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

class BatchScriptTest {

    @Test
    void optionsEndAtTheFirstCommandAndNameTheirLine() {
        var script =
                """
                #!/bin/bash
                #SBATCH --job-name="my run" --time 2:00 # a comment
                #SBATCHES --no
                # text

                #SBATCH -n4 -p long
                #SBATCH --exclusive
                python train.py
                #SBATCH --mem=1G
                """;
        assertThat(BatchScript.options(script))
                .containsExactly(
                        new BatchOption(2, "--job-name", Optional.of("my run")),
                        new BatchOption(2, "--time", Optional.of("2:00")),
                        new BatchOption(6, "--ntasks", Optional.of("4")),
                        new BatchOption(6, "-p", Optional.of("long")),
                        new BatchOption(7, "--exclusive", Optional.empty()));
    }

    @Test
    void sbatchGetsWhatBerthDoesNotDecideItself() {
        var script =
                """
                #SBATCH -J x -o out.txt --gres=gpu:2 --nodes=1 --uid=0
                #SBATCH -plong --mem=4G -c 8 --exclusive
                """;
        assertThat(BatchScript.passedOn(script))
                .containsExactly("-plong", "--mem=4G", "-c8", "--exclusive");
    }

    @ParameterizedTest
    @CsvSource({
        "30, PT30M",
        "5:30, PT5M30S",
        "1:30:00, PT1H30M",
        "2-12, PT60H",
        "1-02:30, PT26H30M",
        "1-00:00:05, PT24H5S"
    })
    void readsTheTimesOfSlurm(String text, Duration time) {
        assertThat(BatchTime.parse(text)).contains(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2h", "1:2:3:4", "-5", "1-", "99999999999"})
    void anythingElseIsNoTime(String text) {
        assertThat(BatchTime.parse(text)).isEmpty();
    }

    @Test
    void readsTheArraysOfSlurm() {
        assertThat(BatchArray.parse("1,3,5-9:2%2", 10))
                .hasValueSatisfying(
                        array -> {
                            assertThat(array.indices()).isEqualTo(List.of(1, 3, 5, 7, 9));
                            assertThat(array.atOnce()).hasValue(2);
                        });
        assertThat(BatchArray.parse("0-9", 10)).isPresent();
        assertThat(BatchArray.parse("0-10", 10)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "5-1", "1-9:0", "1%0", "1%", "1,,2", "0-9999999"})
    void anythingElseIsNoArray(String text) {
        assertThat(BatchArray.parse(text, 1000)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--gres, gpu:2, 2,",
        "--gres, gpu:a100:4, 4, a100",
        "--gres, gpu, 1,",
        "--gres, gpu:a100, 1, a100",
        "--gres, gres/gpu:3, 3,",
        "--gres, none, 0,",
        "--gpus, 0, 0,",
        "--gpus, v100:2, 2, v100",
        "--gpus-per-node, 8, 8,"
    })
    void readsTheGpusOfSlurm(String option, String value, int count, String type) {
        assertThat(BatchGpus.of(new BatchOption(1, option, Optional.of(value))))
                .contains(new BatchGpus(count, Optional.ofNullable(type)));
    }

    @ParameterizedTest
    @CsvSource({"--gres, 'gpu:1,shard:2'", "--gres, fpga:1", "--gpus, 'a:1,b:2'", "--gpus, many"})
    void anythingElseIsNoGpu(String option, String value) {
        assertThat(BatchGpus.of(new BatchOption(1, option, Optional.of(value)))).isEmpty();
    }
}
