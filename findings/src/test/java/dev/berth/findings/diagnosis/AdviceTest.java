package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

class AdviceTest {

    private static final String PYTORCH =
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a"
                    + " total capacity of 79.15 GiB of which 1.21 GiB is free. Including"
                    + " non-PyTorch memory, this process has 30.00 GiB memory in use. Of the"
                    + " allocated memory 20 GiB is allocated by PyTorch, and %s is reserved by"
                    + " PyTorch but unallocated.";

    @Test
    void everyFailureOfTheCorpusHasASentence() {
        for (var log : LogCorpus.failing()) {
            var diagnosis = diagnosis(log.text(), log.exitCode());
            assertThat(sentence(advice(diagnosis)))
                    .as(log.name())
                    .matches("[A-Z].{30,300}\\.")
                    .doesNotContain("''", "null");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "cv2, pip install opencv-python",
        "sklearn, pip install scikit-learn",
        "einops, pip install einops"
    })
    void aMissingModuleIsNamedByItsPackage(String module, String words) {
        var diagnosis = diagnosis("ModuleNotFoundError: No module named '" + module + "'", 1);

        assertThat(sentence(advice(diagnosis))).contains(words, "'" + module + "'");
        assertThat(advice(diagnosis).rerun()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "torch._six, version",
        "distutils, removed from newer versions",
        "distutils.util, removed from newer versions",
        "imp, removed from newer versions",
        "cPickle, removed from newer versions",
        "_ctypes, belongs to Python itself",
        "tomllib, belongs to Python itself",
        "importlib.metadata, belongs to Python itself",
        "utils.dataset, PYTHONPATH"
    })
    void aModuleThatPipCannotProvideIsNotAdvisedForPip(String module, String words) {
        var missing = diagnosis("ModuleNotFoundError: No module named '" + module + "'", 1);

        assertThat(sentence(advice(missing)))
                .contains(words, "'" + module + "'")
                .doesNotContain("pip install");
    }

    @Test
    void theLastFrameInTheUsersOwnCodeIsNamed() {
        var log =
                """
                Traceback (most recent call last):
                  File "/home/ann/train.py", line 12, in <module>
                    main()
                  File "/home/ann/net/model.py", line 40, in forward
                    return torch.cat(parts)
                  File "/opt/conda/lib/python3.10/site-packages/torch/functional.py", line 1, in cat
                    return _cat(x)
                  File "<frozen importlib._bootstrap>", line 2, in load
                RuntimeError: Sizes of tensors must match
                """;

        assertThat(sentence(advice(diagnosis(log, 1)))).contains("at /home/ann/net/model.py:40");
    }

    @Test
    void everyKindOfARuleHasASentenceInEachLanguage() {
        for (var rule : CauseRules.ALL) {
            if (rule instanceof CauseRule.LineRule line && !line.kind().isEmpty()) {
                var key = "advice." + line.cause().code() + "." + line.kind();
                for (var language : Language.values()) {
                    assertThat(Catalogue.in(language).contains(key)).as(key).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'free(): invalid pointer', segfault.abort",
        "'x.sh: line 1: 12 Bus error               (core dumped) python t.py', segfault.bus",
        "'x.sh: line 1: 12 Illegal instruction     (core dumped) t', segfault.instruction",
        "'x.sh: line 1: 12 Segmentation fault      (core dumped) t', segfault",
        "'CUDA driver version is insufficient for CUDA runtime version', driver.old",
        "'c++: fatal error: Killed signal terminated program cc1plus', host_oom.compiler",
        "'a.cu(3): error: identifier x is undefined', packages.compile",
        "'git@github.com: Permission denied (publickey).', permission.login"
    })
    void theAdviceIsThatOfTheKind(String line, String code) {
        assertThat(advice(diagnosis(line, 1)).code()).isEqualTo(code);
    }

    @Test
    void memoryThatOthersHoldIsToldApartFromATooLargeProgram() {
        var crowded =
                diagnosis(
                        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
                                + " GPU 0 has a total capacity of 79.15 GiB of which 1.21 GiB is"
                                + " free. Including non-PyTorch memory, this process has 30.00 GiB"
                                + " memory in use.",
                        1);

        assertThat(advice(crowded).code()).isEqualTo("oom.others");
        assertThat(sentence(advice(crowded))).contains("36 GiB");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity;"
                        + " 9.50 GiB already allocated; 8.56 MiB free; 9.60 GiB cached)|"
                        + " tried_mib=20,total_mib=11019,free_mib=9,used_mib=9831",
                "OOM when allocating tensor with shape[256,112,112,64] and type float on"
                        + " /job:x/device:GPU:0| tried_mib=784",
                "OOM when allocating tensor with shape[1024,1024] and type half on x| tried_mib=2",
                "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,589,934,592 bytes"
                    + " (allocated so far: 17,179,869,184 bytes).| tried_mib=8192,used_mib=16384",
                "x: allocating 8112.31 MiB on device 0: cudaMalloc failed: out of memory|"
                        + " tried_mib=8113"
            })
    void theSizesOfTheMessageAreRead(String line, String wanted) {
        var params = new TreeMap<String, String>();
        for (var pair : wanted.split(",")) {
            params.put(pair.split("=")[0], pair.split("=")[1]);
        }

        assertThat(AllocationMessage.read(line)).isEqualTo(params);
    }

    @ParameterizedTest
    @CsvSource({"8192, 36864", "30000, 45056", "60000, 80896", "80896, ", "81000, "})
    void aStatedMemoryGrowsByHalfAtLeastToWholeGibibytesAndNeverBeyondTheCard(
            long stated, Long wanted) {
        var task = task(OptionalLong.of(stated), OptionalLong.empty());

        var redo = Advice.of(diagnosis(PYTORCH.formatted("1.00 MiB"), 1), task).rerun();

        assertThat(redo.map(RerunChanges::memoryMib))
                .isEqualTo(Optional.ofNullable(wanted).map(OptionalLong::of));
    }

    @Test
    void farTooLittleStatedMemoryIsReplacedByTheMeasuredNeed() {
        var task = task(OptionalLong.of(4096), OptionalLong.empty());
        var oom =
                new Diagnosis(
                        Cause.OOM,
                        "CUDA out of memory.",
                        new TreeMap<>(Map.of("tried_mib", "2048", "used_mib", "23040")));

        assertThat(Advice.of(oom, task).rerun().map(RerunChanges::memoryMib))
                .contains(OptionalLong.of(27_648));
    }

    @Test
    void theAdviceNeverExceedsTheLargestGpu() {
        var stated = OptionalLong.of(20_480);
        var oom = diagnosis("RuntimeError: CUDA out of memory.", 1);

        var remedy = Advice.of(oom, task(stated, OptionalLong.of(24_000)));

        assertThat(remedy.rerun().map(RerunChanges::memoryMib)).contains(OptionalLong.of(23_552));
        assertThat(sentence(remedy)).contains("23 GiB");
        assertThat(Advice.of(oom, task(stated, OptionalLong.of(21_000))).rerun()).isEmpty();
    }

    @Test
    void anUnstatedMemoryFollowsFromWhatItHeldAndTried() {
        var redo = advice(diagnosis(PYTORCH.formatted("1.00 MiB"), 1)).rerun().orElseThrow();

        assertThat(redo.memoryMib()).hasValue(36 * 1024);
        assertThat(redo.environment()).isEmpty();
        assertThat(advice(diagnosis("CUDA out of memory", 1)).rerun()).isEmpty();
    }

    @Test
    void noMemoryBeyondTheGpuTotalIsAdvised() {
        var real = diagnosis(LogCorpus.text("failing/torch-oom-real.txt"), 1);

        assertThat(advice(real).rerun()).isEmpty();
        assertThat(sentence(advice(real))).contains("139 GiB", "smaller batch");
    }

    @Test
    void fragmentedMemoryAdvisesExpandableSegments() {
        var wasteful = diagnosis(PYTORCH.formatted("9.24 GiB"), 1);

        assertThat(advice(wasteful).rerun().orElseThrow().environment())
                .containsExactly(Map.entry("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"));
    }

    @Test
    void anotherRunWithDebugVariablesIsAdvised() {
        var cuda = diagnosis("CUDA error: an illegal memory access was encountered", 1);
        var nccl = diagnosis("DistBackendError: NCCL error in: a.cpp", 1);

        assertThat(advice(cuda).rerun().orElseThrow().environment())
                .containsExactly(Map.entry("CUDA_LAUNCH_BLOCKING", "1"));
        assertThat(advice(nccl).rerun().orElseThrow().environment())
                .containsExactly(Map.entry("NCCL_DEBUG", "INFO"));
        var blocking = new TreeMap<>(Map.of("CUDA_LAUNCH_BLOCKING", "1"));
        var task = new TaskContext("/work", blocking, OptionalLong.empty(), OptionalLong.empty());
        assertThat(Advice.of(cuda, task).rerun()).isEmpty();
    }

    @Test
    void aTakenPortIsReplacedWherePyTorchWouldReadIt() {
        var taken = diagnosis(LogCorpus.text("failing/port-in-use.txt"), 1);
        var other = diagnosis("OSError: [Errno 98] Address already in use", 1);

        var environment = advice(taken).rerun().orElseThrow().environment();
        assertThat(environment).containsOnlyKeys("MASTER_PORT", "PET_MASTER_PORT");
        assertThat(Integer.parseInt(environment.get("MASTER_PORT")))
                .isBetween(10_000, 29_999)
                .isNotEqualTo(29_500);
        assertThat(sentence(advice(taken))).contains("29500");
        assertThat(advice(other).rerun()).isEmpty();
    }

    @Test
    void aMissingWorkingDirectoryIsNotARelativePath() {
        var gone = diagnosis("command.sh: line 1: cd: /work: No such file or directory", 1);
        var other = diagnosis("command.sh: line 1: cd: /data: No such file or directory", 1);

        assertThat(sentence(advice(gone)))
                .startsWith("The working directory of the task, /work, does not exist any more");
        assertThat(sentence(advice(other))).startsWith("Check the path '/data'");
    }

    private static Diagnosis diagnosis(String log, int exitCode) {
        return LogAnalyzer.diagnose(log, OptionalInt.of(exitCode)).orElseThrow();
    }

    private static Remedy advice(Diagnosis diagnosis) {
        return Advice.of(diagnosis, task(OptionalLong.empty(), OptionalLong.empty()));
    }

    private static TaskContext task(OptionalLong statedMib, OptionalLong largestGpuMib) {
        return new TaskContext("/work", new TreeMap<>(), statedMib, largestGpuMib);
    }

    private static String sentence(Remedy remedy) {
        return Catalogue.in(Language.ENGLISH).text("advice." + remedy.code(), remedy.params());
    }
}
