package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

final class ClusterSettingsReaderTest {

    @TempDir private Path home;

    private Configuration load(String text) throws IOException, InvalidConfigException {
        var file = home.resolve("config/berth.yaml");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "engine: slurm\n" + text);
        return Configuration.load(ConfigSources.of(home));
    }

    private void assertRefused(String text, String... words) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void typesOfGpusAreReadWithTheirMemory() throws Exception {
        var slurm = load("slurm:\n  gpu_types: [\"a100:80\", \"v100:16\"]\n").slurm().orElseThrow();
        assertThat(slurm.gpuMemoryMib()).isEqualTo(Map.of("a100", 80L * 1024, "v100", 16L * 1024));
        assertThat(slurm.window()).isEmpty();
        assertThat(slurm.isHealing()).isFalse();
    }

    @Test
    void whatHasNoMeaningOnAClusterIsRefusedByName() {
        assertRefused("slurm:\n  gpu_types: [a100]\n", "slurm.gpu_types", "a100:80");
        assertRefused("users:\n  ann:\n    weight: 2\n", "users.ann.weight", "engine: slurm");
        assertRefused("users:\n  ann:\n    vip: true\n", "users.ann.vip", "engine: slurm");
        assertRefused("groups:\n  lab:\n    weight: 2\n", "groups.lab.weight", "engine: slurm");
        assertRefused(
                "models:\n  m:\n    worker: python w.py\n    memory_mb: 1000\n",
                "models.m.worker",
                "not with engine: slurm");
    }
}
