package dev.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a failed {@code sbatch} means for its task, and what its job inherits. */
final class CommandLineSlurmTest {

    @Test
    void aJobInheritsNoVariableThatOnlyTheCommandsNeed() {
        var slurm = new CommandLineSlurm("ann", Map.of("SLURM_CONF", "/etc/some.conf"));
        var list = slurm.builder(List.of("squeue")).environment();
        assertThat(list).containsEntry("TZ", "UTC").containsEntry("LC_ALL", "C.UTF-8");

        var job = new TreeMap<>(slurm.builder(List.of("sbatch")).environment());
        assertThat(job.remove("SLURM_CONF")).isEqualTo("/etc/some.conf");
        assertThat(System.getenv()).containsAllEntriesOf(job);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sbatch: error: Batch job submission failed: Transport endpoint is not connected",
                "sbatch: error: Batch job submission failed: Software caused connection aborted",
                "sbatch: error: Unable to contact slurm controller (connect failure)",
                "sbatch: error: Batch job submission failed: Connection reset by peer"
            })
    void aControllerThatDiesWhileItAnswersRefusesNothing(String errors) {
        assertThat(CommandLineSlurm.failure("sbatch", errors).isRefusal()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sbatch: error: invalid partition specified: nowhere",
                "sbatch: error: Batch job submission failed: Requested node configuration is not"
                        + " available"
            })
    void whatSlurmCannotRunIsRefused(String errors) {
        assertThat(CommandLineSlurm.failure("sbatch", errors).isRefusal()).isTrue();
    }
}
