package dev.berth.core.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.TaskSpec;

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
        for (var log : Corpus.failing()) {
            var diagnosis = diagnosis(log.text(), log.exitCode());
            assertThat(advice(diagnosis).advice())
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

        assertThat(advice(diagnosis).advice()).contains(words, "'" + module + "'");
        assertThat(advice(diagnosis).redo()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"8192, 36864", "30000, 45056", "60000, 80896", "80896, ", "81000, "})
    void aStatedMemoryGrowsByHalfAtLeastToWholeGibibytesAndNeverBeyondTheCard(
            long stated, Long wanted) {
        var spec = spec(Need.Memory.of(stated), Map.of());

        var redo =
                Advice.on(diagnosis(PYTORCH.formatted("1.00 MiB"), 1), spec, OptionalLong.empty())
                        .redo();

        assertThat(redo.map(Redo::memoryMib))
                .isEqualTo(Optional.ofNullable(wanted).map(OptionalLong::of));
    }

    @Test
    void whoStatedFarTooLittleIsToldWhatItReallyTakes() {
        var spec = spec(Need.Memory.of(4096), Map.of());
        var oom =
                new Diagnosis(
                        Cause.OOM,
                        "CUDA out of memory.",
                        new TreeMap<>(Map.of("tried_mib", "2048", "used_mib", "23040")));

        assertThat(Advice.on(oom, spec, OptionalLong.empty()).redo().map(Redo::memoryMib))
                .contains(OptionalLong.of(27_648));
    }

    @Test
    void noMoreIsAskedForThanACardHere() {
        var spec = spec(Need.Memory.of(20_480), Map.of());
        var oom = diagnosis("RuntimeError: CUDA out of memory.", 1);

        var remedy = Advice.on(oom, spec, OptionalLong.of(24_000));

        assertThat(remedy.redo().map(Redo::memoryMib)).contains(OptionalLong.of(23_552));
        assertThat(remedy.advice()).contains("23 GiB");
        assertThat(Advice.on(oom, spec, OptionalLong.of(21_000)).redo()).isEmpty();
    }

    @Test
    void anUnstatedMemoryFollowsFromWhatItHeldAndTried() {
        var redo = advice(diagnosis(PYTORCH.formatted("1.00 MiB"), 1)).redo().orElseThrow();

        assertThat(redo.memoryMib()).hasValue(36 * 1024);
        assertThat(redo.environment()).isEmpty();
        assertThat(advice(diagnosis("CUDA out of memory", 1)).redo()).isEmpty();
    }

    @Test
    void whatNoCardOfItsKindHasIsNotAskedFor() {
        var real = diagnosis(Corpus.text("failing/torch-oom-real.txt"), 1);

        assertThat(advice(real).redo()).isEmpty();
        assertThat(advice(real).advice()).contains("139 GiB", "smaller batch");
    }

    @Test
    void memoryThatLiesUnusedIsToBeUsed() {
        var wasteful = diagnosis(PYTORCH.formatted("9.24 GiB"), 1);

        assertThat(advice(wasteful).redo().orElseThrow().environment())
                .containsExactly(Map.entry("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"));
    }

    @Test
    void anotherRunMayTellMore() {
        var cuda = diagnosis("CUDA error: an illegal memory access was encountered", 1);
        var nccl = diagnosis("DistBackendError: NCCL error in: a.cpp", 1);

        assertThat(advice(cuda).redo().orElseThrow().environment())
                .containsExactly(Map.entry("CUDA_LAUNCH_BLOCKING", "1"));
        assertThat(advice(nccl).redo().orElseThrow().environment())
                .containsExactly(Map.entry("NCCL_DEBUG", "INFO"));
        var spec = spec(Need.Memory.UNSTATED, Map.of("CUDA_LAUNCH_BLOCKING", "1"));
        assertThat(Advice.on(cuda, spec, OptionalLong.empty()).redo()).isEmpty();
    }

    @Test
    void aTakenPortIsReplacedWherePyTorchWouldReadIt() {
        var taken = diagnosis(Corpus.text("failing/port-in-use.txt"), 1);
        var other = diagnosis("OSError: [Errno 98] Address already in use", 1);

        var environment = advice(taken).redo().orElseThrow().environment();
        assertThat(environment).containsOnlyKeys("MASTER_PORT", "PET_MASTER_PORT");
        assertThat(Integer.parseInt(environment.get("MASTER_PORT")))
                .isBetween(10_000, 29_999)
                .isNotEqualTo(29_500);
        assertThat(advice(taken).advice()).contains("29500");
        assertThat(advice(other).redo()).isEmpty();
    }

    private static Diagnosis diagnosis(String log, int exitCode) {
        return Doctor.diagnose(log, new Ending.Exited(exitCode)).orElseThrow();
    }

    private static Remedy advice(Diagnosis diagnosis) {
        return Advice.on(diagnosis, spec(Need.Memory.UNSTATED, Map.of()), OptionalLong.empty());
    }

    private static TaskSpec spec(Need.Memory memory, Map<String, String> environment) {
        var plain =
                TaskSpec.of(
                        "t",
                        "python train.py",
                        new Need.Cards(Need.Count.of(1), Optional.empty(), memory),
                        "/work");
        return new TaskSpec(
                plain.name(),
                plain.command(),
                plain.need(),
                plain.work(),
                plain.timeLimit(),
                plain.priority(),
                plain.source(),
                plain.workDir(),
                new TreeMap<>(environment),
                plain.lane(),
                OptionalInt.empty());
    }
}
