package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;
import java.util.OptionalInt;

class ErrorLinesTest {

    private static final String ERROR = "ERROR: the mesh has no cells";

    @Test
    void anErrorOfAnyProgramIsShownIfNothingNormalFollows() {
        assertThat(line("reading the mesh\n" + ERROR + "\nstopped\n")).contains(ERROR);
        assertThat(line("reading the mesh\n" + ERROR + "\nresults written to a.vtk\n")).isEmpty();
        assertThat(line("reading the mesh\n" + ERROR + "\nEpoch 3/9\nEpoch 4/9\nEpoch 5/9\n"))
                .isEmpty();
    }

    @Test
    void theFirstErrorOfAFailureIsItsRoot() {
        var text = "reading\n" + ERROR + "\nERROR: cannot continue\nERROR: giving up\n";

        assertThat(line(text)).contains(ERROR);
    }

    @Test
    void theErrorThatNamesACauseGoesBeforeOthers() {
        var open = "error loading model: failed to open /m/q4.gguf: No such file or directory";
        var text = "start\nerror loading model: bad loader\n" + open + "\nmain: error: no model\n";

        assertThat(line(text)).contains(open);
    }

    @Test
    void whatAScriptPrintsAtItsEndIsNotCounted() {
        var end = "+ rc=1\n+ exit 1\nreal\t0m1.1s\nuser\t0m1.0s\nsys\t0m0.1s\n";

        assertThat(line("reading\n" + ERROR + "\n" + end.repeat(10))).contains(ERROR);
    }

    @Test
    void theMessageFollowsALineThatOnlyAnnouncesIt() {
        assertThat(line("mdrun\nFatal error:\nThe energy is not finite\n"))
                .contains("The energy is not finite");
        assertThat(line("run\nthread 'main' panicked at src/main.rs:2:5:\nno rows\n"))
                .contains("no rows");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERROR rate: 0.31",
                "error: 0.31",
                "40 jobs, 0 failed",
                "rm: cannot remove 'a': No such file or directory",
                "make: *** [Makefile:3: run] Error 1 (ignored)",
                "ERROR: object 'x.so' cannot be preloaded: ignored."
            })
    void suchALineIsNoError(String line) {
        assertThat(line("start\n" + line + "\n")).isEmpty();
    }

    @Test
    void aCommandThatFailedHadItsOwnWords() {
        var text =
                "in.mp4: Invalid data found when processing input\n"
                    + "Traceback (most recent call last):\n"
                    + "  File \"/w/prep.py\", line 3, in <module>\n"
                    + "    subprocess.run(command, check=True)\n"
                    + "subprocess.CalledProcessError: Command '['ffmpeg']' returned non-zero exit"
                    + " status 1.\n";

        assertThat(line(text)).contains("in.mp4: Invalid data found when processing input");
    }

    @Test
    void theOutputOfACommandMayBeIndentedBelowAHeading() {
        var text =
                "Error executing process > 'ALIGN'\n\nCommand error:\n"
                        + "  .command.sh: line 2: bwa: command not found\n\nWork dir:\n  /w/1\n";

        assertThat(line(text)).contains(".command.sh: line 2: bwa: command not found");
    }

    private static Optional<String> line(String log) {
        return LogAnalyzer.diagnose(log, OptionalInt.of(1)).map(Diagnosis::line);
    }
}
