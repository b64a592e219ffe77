package dev.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Need;
import dev.berth.core.task.Need.GpuCount;
import dev.berth.core.task.Need.GpuMemory;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Node;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

class JobOptionsTest {

    private static final SlurmSettings SETTINGS =
            new SlurmSettings(
                    Optional.of("long"),
                    Optional.empty(),
                    Optional.empty(),
                    List.of("--comment=lab"),
                    new TreeMap<>(Map.of("v100", 16L * 1024, "a100", 80L * 1024)),
                    false);

    private static List<String> options(TaskSpec spec, int memoryShortages) {
        var attempt =
                new Attempt(
                        new AttemptId(new TaskId(7), 1),
                        "slurm",
                        1,
                        "boot",
                        List.of(),
                        Instant.EPOCH,
                        new Phase.Handed());
        return JobOptions.of(
                new Node.Launch(attempt, spec, List.of(), Node.LaunchTerms.DEFAULT),
                Path.of("/shared/log"),
                SETTINGS,
                new TreeSet<>(List.of("a100", "v100")),
                new JobOptions.Earlier(Optional.empty(), memoryShortages));
    }

    private static TaskSpec gpuTask(GpuMemory memory) {
        return TaskSpec.of(
                "t", "true", new Need.Gpus(GpuCount.of(2), Optional.empty(), memory), "/");
    }

    @Test
    void memoryChoosesTheSmallestTypeThatHasEnough() {
        assertThat(options(gpuTask(GpuMemory.UNSTATED), 0)).contains("--gres=gpu:2");
        assertThat(options(gpuTask(GpuMemory.of(10 * 1024)), 0)).contains("--gres=gpu:2");
        assertThat(options(gpuTask(GpuMemory.of(20 * 1024)), 0)).contains("--gres=gpu:a100:2");
    }

    @Test
    void theTimeLimitOfSlurmIsLaterThanThatOfBerth() {
        var spec = gpuTask(GpuMemory.UNSTATED);
        assertThat(options(spec.with(Duration.ofSeconds(59)), 0)).contains("--time=2");
        assertThat(options(spec.with(Duration.ofSeconds(60)), 0)).contains("--time=3");
    }

    @Test
    void linesOfTheScriptComeAfterThoseOfTheConfiguration() {
        var spec =
                TaskSpec.of(
                        "t",
                        "#SBATCH --partition=short --gres=gpu:9\n#SBATCH --mem=10G\ntrue",
                        Need.CPU,
                        "/");
        var options = options(spec, 0);
        assertThat(options).contains("--comment=lab", "--mem=10G").doesNotContain("--gres=gpu:9");
        assertThat(options.indexOf("--partition=short"))
                .isGreaterThan(options.indexOf("--partition=long"));
    }

    @Test
    void eachTimeThatItsMemoryWasTooLittleATaskGetsAFifthMore() {
        var spec = TaskSpec.of("t", "#SBATCH --mem=10G --mem-per-gpu=500\ntrue", Need.CPU, "/");
        assertThat(options(spec, 1)).contains("--mem=12288M", "--mem-per-gpu=600M");
        assertThat(options(spec, 2)).contains("--mem=14746M", "--mem-per-gpu=720M");
    }
}
