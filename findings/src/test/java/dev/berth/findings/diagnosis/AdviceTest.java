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
        "sklearn.metrics, pip install scikit-learn",
        "einops, pip install einops"
    })
    void aMissingModuleIsNamedByItsPackage(String module, String words) {
        var diagnosis = diagnosis("ModuleNotFoundError: No module named '" + module + "'", 1);

        assertThat(sentence(advice(diagnosis))).contains(words, "'" + module + "'");
        assertThat(advice(diagnosis).rerun()).isEmpty();
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
