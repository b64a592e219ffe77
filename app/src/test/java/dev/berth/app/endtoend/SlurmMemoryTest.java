package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A real Slurm cluster that limits the memory of jobs by cgroups. */
@ExtendWith(ServerHarnessExtension.class)
@Tag("slow")
final class SlurmMemoryTest {

    /** Where Slurm 22.05 finds the controller for memory. */
    private static final Path MEMORY = Path.of("/sys/fs/cgroup/memory/tasks");

    private static final Map<String, String> LIMITED =
            Map.of(
                    "CLUSTER_CONF",
                    "TaskPlugin=task/cgroup\nSelectTypeParameters=CR_CPU_Memory",
                    "CLUSTER_CGROUP",
                    "ConstrainRAMSpace=yes\nMinRAMSpace=8");

    @Test
    void aTaskThatSlurmEndedForItsMemoryGetsAFifthMore(ServerHarness harness) throws Exception {
        assumeTrue(Files.isWritable(MEMORY), "needs a writable cgroup for memory");
        try (var _ = SlurmHarness.start(harness, LIMITED)) {
            var api = harness.start();
            // tail keeps all of what it reads: more than 100 and less than 120 MiB.
            long id =
                    api.submit(
                            TaskBuilder.cpu(
                                            """
                                            #SBATCH --mem=100M
                                            head -c 106M /dev/zero | tail -c 106M >/dev/null
                                            [[ ${PIPESTATUS[1]} == 0 ]] || exit 137
                                            exit 9
                                            """)
                                    .with("max_retries", 1));
            var task = api.awaitEnd(id);
            assertThat(task.path("attempts")).hasSize(2);
            assertThat(task.path("attempts").get(0).path("exit_code").asInt()).isEqualTo(137);
            assertThat(task.path("exit_code").asInt()).as("%s", task).isEqualTo(9);
        }
    }
}
