package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BatchLinesTest {

    private static final String SCRIPT =
            """
            #!/bin/bash
            #SBATCH --job-name=sweep --chdir "/data/of ann"
            # a comment
            #SBATCH -a 0-3%2   # four tasks
            echo
            #SBATCH --job-name=late
            """;

    @Test
    void linesBeforeTheFirstCommandCount() {
        assertThat(BatchLines.jobName(SCRIPT)).isEqualTo("sweep");
        assertThat(BatchLines.directory(SCRIPT)).isEqualTo("/data/of ann");
        assertThat(BatchLines.isArray(SCRIPT)).isTrue();
    }

    @Test
    void aScriptWithoutSuchLinesHasNone() {
        var script = "#!/bin/bash\necho\n#SBATCH --array=1-3\n";
        assertThat(BatchLines.jobName(script)).isNull();
        assertThat(BatchLines.directory(script)).isNull();
        assertThat(BatchLines.isArray(script)).isFalse();
    }
}
