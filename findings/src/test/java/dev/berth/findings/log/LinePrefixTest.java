package dev.berth.findings.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class LinePrefixTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2024-01-02T03:04:05Z ",
                "2024-01-02T03:04:05.678901+00:00 ",
                "2024-01-02 03:04:05,678 - root - ERROR - ",
                "2024-01-02 03:04:05,678 - pkg.train - INFO - ",
                "2024-01-02 03:04:05,678 ERROR root: ",
                "2024-01-02 03:04:05 ERROR ",
                "2024-01-02 03:04:05,678 [ERROR] pkg.train: ",
                "2024-01-02 03:04:05.678 | ERROR    | pkg.train:main:12 - ",
                "[2024-01-02 03:04:05] ",
                "[2024-01-02 03:04:05,678][__main__][ERROR] - ",
                "[2024-01-02 03:04:05,678] [ERROR] [launch.py:321:sigkill_handler] ",
                "[03:04:05] ",
                "[I 2024-01-02 03:04:05,678] ",
                "[2024-01-02 03:04:05,678 E 812 813] logging.cc:361: ",
                "[2024-01-02 03:04:05.678901: E horovod/common/operations.cc:651] ",
                "03:04:05.678 ",
                "03:04:05 ERROR ",
                "[01/02 03:04:05 d2.engine.train_loop]: ",
                "01/02 03:04:05 - mmengine - ERROR - ",
                "24/01/02 03:04:05 ERROR ",
                "ERROR:root:",
                "ERROR:__main__:",
                "ERROR: ",
                "[ERROR] ",
                "ERROR 05-23 09:31:47 [core.py:396] ",
                "(EngineCore_0 pid=12) ERROR 05-23 09:31:47 [core.py:396] ",
                "ERROR 05-23 09:31:47 multiproc_worker_utils.py:226] ",
                "E0102 03:04:05.678901 123 file.cc:12] ",
                "E0102 03:04:05.678000 140123456 torch/distributed/elastic/api.py:826] ",
                "[rank0]: ",
                "[default0]:",
                "[1,0]<stderr>: ",
                "[1,0]<stderr>:",
                "[0]<stderr>: ",
                "0: ",
                " 3: ",
                "(pid=123) ",
                "(RayTrainWorker pid=123, ip=10.0.0.7) ",
                "(train_fn(lr=0.1) pid=123) ",
                "[rank1]:[E102 03:04:05.678 ProcessGroupNCCL.cpp:475] ",
                "2024-01-02T03:04:05.123456789Z stderr F ",
                "Jan  2 03:04:05 node1 python[123]: ",
                "Jan 02 03:04:05 ",
                "[81231.119022] ",
                "[Tue Jan  2 03:04:05 2024] ",
                "2024-01-02 03:04:05.678901: E tensorflow/core/common_runtime/x.cc:12] ",
                "worker-1  | ",
                "[rank0]: 2024-01-02 03:04:05,678 - root - ERROR - ",
                "0: 2024-01-02 03:04:05,678 ERROR "
            })
    void prefixesOfLoggersAndLaunchersAreRead(String prefix) {
        for (var text :
                new String[] {
                    "ValueError: row 7 has no label",
                    "  File \"/home/ann/train.py\", line 12, in main",
                    "Traceback (most recent call last):",
                    "torch.OutOfMemoryError: CUDA out of memory.",
                    "[Errno 28] No space left on device",
                    "fatal: unable to access"
                }) {
            var found = LinePrefix.of(prefix + text);

            var bare = found.textOf(prefix + text);
            assertThat(bare.strip()).isEqualTo(text.strip());
            assertThat(bare.startsWith(" ")).isEqualTo(text.startsWith(" "));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ValueError: row 7 has no label",
                "Error: No such option: --lr",
                "Epoch 3/10",
                "[3/12] cc a.c",
                "[Errno 28] No space left on device",
                "(0) Resource exhausted: OOM",
                " 45/100 [==>....] - ETA: 11s",
                "slurmstepd: error: *** JOB 12 ON n1 CANCELLED",
                "make: *** [Makefile:95: all] Error 2",
                "E: Unable to locate package",
                "  File \"a.py\", line 1",
                "INFORMATION about 3 files",
                "12 files read"
            })
    void textIsNoPrefix(String line) {
        assertThat(LinePrefix.of(line).length()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "'2024-01-02 03:04:05,678 - root - WARNING - x', WARNING, ''",
        "'INFO:root:x', INFO, ''",
        "'[rank3]: [ERROR] x', ERROR, '[rank3]:'",
        "'F0102 03:04:05.678901 123 file.cc:12] Check failed', ERROR, ''",
        "'0: x', NONE, '0:'",
        "'[W 2024-01-02 03:04:05,678] x', WARNING, ''",
        "'[2024-01-02 03:04:05,678 E 812 813] logging.cc:361: x', ERROR, ''",
        "'2024-01-02 03:04:05 ERROR 404: Not Found.', ERROR, ''",
        "'2024-01-02 03:04:05 ERROR 3: x', ERROR, '3:'",
        "'[E::bwa_idx_load_from_disk] x', ERROR, ''",
        "'[E] Engine deserialization failed', ERROR, ''",
        "'FATAL:   container creation failed', ERROR, ''",
        "'time=2024-01-02T03:04:05Z level=warning msg=x', WARNING, ''",
        "'level=fatal msg=x', ERROR, ''",
        "'{\"level\":\"info\",\"msg\":\"x\"}', INFO, ''",
        "'{\"msg\":\"x\",\"severity\": \"ERROR\"}', ERROR, ''",
        "'the level of the water', NONE, ''"
    })
    void levelAndSpeakerAreKnown(String line, LogLevel level, String speaker) {
        var found = LinePrefix.of(line);

        assertThat(found.level()).isEqualTo(level);
        assertThat(found.speaker()).isEqualTo(speaker);
    }

    /** Times differ in every line; only a launcher's mark tells the processes apart. */
    @Test
    void aTimeDoesNotBelongToTheSpeaker() {
        assertThat(LinePrefix.of("2024-01-02T03:04:05Z [rank0]: a").speaker())
                .isEqualTo(LinePrefix.of("2024-01-02T03:04:06Z [rank0]: b").speaker());
    }

    @Test
    void namesOfMachinesAreReadIfMostLinesBeginWithOne() {
        var lines =
                List.of(
                        "gn07: step 1",
                        "gn08: step 1",
                        "gn07:   indented",
                        "gn07: [ERROR] x",
                        "gn12: alone",
                        "clush: gn08: exited");

        assertThat(LinePrefix.ofAll(lines).stream().map(LinePrefix::speaker))
                .containsExactly("gn07", "gn08", "gn07", "gn07", "gn12", "");
        assertThat(LinePrefix.ofAll(lines).get(2).textOf(lines.get(2))).isEqualTo("  indented");
        assertThat(LinePrefix.ofAll(lines).get(3).level()).isEqualTo(LogLevel.ERROR);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "epoch_3: 0.1\nepoch_4: 0.1\nepoch_5: 0.1",
                "gn07: a\ngn07: b\nx\ny\nz",
                "gn07: a\ngn08: b\nx",
                "ValueError: a\nValueError: b\nValueError: c"
            })
    void otherWordsBeforeAColonAreText(String log) {
        assertThat(LinePrefix.ofAll(log.lines().toList())).containsOnly(LinePrefix.NONE);
    }
}
