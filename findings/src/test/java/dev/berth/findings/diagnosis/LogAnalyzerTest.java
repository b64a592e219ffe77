package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.findings.log.PlainLines;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;
import java.util.OptionalInt;

class LogAnalyzerTest {

    private static final String OOM =
            "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CUDA out of memory",
                "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB",
                "torch.OutOfMemoryError: CUDA out of memory.",
                "ERROR worker 3 failed: CUDA out of memory. Tried to allocate 1.00 GiB",
                "CUDA error: out of memory",
                "CUDA_ERROR_OUT_OF_MEMORY: out of memory",
                "{\"level\": \"error\", \"message\": \"CUDA out of memory\"}",
                "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4096 bytes.",
                "ResourceExhaustedError: OOM when allocating tensor with shape[8,8]"
            })
    void everyKindOfOutOfMemoryMessageIsRecognised(String line) {
        assertThat(cause(line, 1)).contains(Cause.OOM);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "handled CUDA out of memory, retrying with smaller batch",
                "CUDA out of memory at batch 64, skipping this batch",
                "WARNING: CUDA out of memory",
                "# CUDA out of memory",
                "  --oom  what to do on CUDA out of memory",
                "the word \"CUDA out of memory\" is searched for",
                "if you see CUDA out of memory use --small",
                "out of memory",
                "loss: nan, 0 errors",
                "error metric: 0.31",
                "command -v conda: not found",
                "ValueError: row 7 has no label"
            })
    void aMentionOfAFailureIsNotAFailure(String line) {
        assertThat(cause(line, 1)).isEmpty();
    }

    @Test
    void anExceptionIsBelievedOnlyAtTheEndOfATraceback() {
        var frames = "Traceback (most recent call last):\n  File \"a.py\", line 1\n    f()\n";

        assertThat(cause(frames + "ValueError: no", 1)).contains(Cause.TRACEBACK);
        assertThat(cause("  File \"a.py\", line 1\n    f(\nSyntaxError: invalid syntax", 1))
                .contains(Cause.TRACEBACK);
        assertThat(cause("ValueError: no", 1)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "requests.exceptions.ConnectionError: HTTPSConnectionPool, NETWORK",
        "httpx.ConnectError: [Errno 111] Connection refused, NETWORK",
        "ConnectionError: no route, NETWORK",
        "pkg_resources.VersionConflict: (numpy 2.0), PACKAGES",
        "importlib.metadata.PackageNotFoundError: einops, PACKAGES",
        "mine.NoConnectionError: no, TRACEBACK"
    })
    void anExceptionIsKnownByItsNameInWhateverModuleItIs(String raised, Cause wanted) {
        var frames = "Traceback (most recent call last):\n  File \"a.py\", line 1\n    f()\n";

        assertThat(cause(frames + raised, 1)).contains(wanted);
    }

    @Test
    void anErrorTheProgramRecoveredFromIsNotTheCause() {
        var gotOver = OOM + "\nreducing batch size to 16\n";
        var worked = OOM + "\nepoch 1/9 loss 3\nepoch 2/9 loss 2\nepoch 3/9 loss 1\n";

        assertThat(cause(gotOver, 1)).isEmpty();
        assertThat(cause(worked, 1)).isEmpty();
        assertThat(cause(gotOver + OOM + "\n", 1)).contains(Cause.OOM);
        assertThat(cause(gotOver + "bash: line 1: gzip: command not found", 127))
                .contains(Cause.COMMAND_MISSING);
    }

    @Test
    void aModelThatIsSavedAfterAFailureDoesNotHideIt() {
        var frames = "Traceback (most recent call last):\n  File \"a.py\", line 1\n    f()\n";

        assertThat(cause(frames + OOM + "\nemergency model saved.\n", 1)).contains(Cause.OOM);
    }

    @Test
    void aTracebackThatIsLoggedAsAWarningIsTheCauseUnlessTheProgramGoesOn() {
        var text =
                "2024-01-02 03:04:05,678 WARNING plugins: not loaded:\n"
                        + "Traceback (most recent call last):\n  File \"a.py\", line 1\n    f()\n"
                        + "ModuleNotFoundError: No module named 'a'\n";

        assertThat(cause(text + "Install it\nor use another\nsee the manual\n", 1))
                .contains(Cause.MODULE_MISSING);
        assertThat(cause(text + "iter 1 reward 0.2\niter 9 reward 0.4\nbye\n", 1)).isEmpty();
    }

    @Test
    void aCheckForAPackagePrintsItsExceptionAndGoesOn() {
        var text =
                "Traceback (most recent call last):\n  File \"a.py\", line 5, in %s\n"
                        + "    import a\nModuleNotFoundError: No module named 'a'\nstart\n";

        assertThat(cause(text.formatted("_is_a_available"), 1)).isEmpty();
        assertThat(cause(text.formatted("load"), 1)).contains(Cause.MODULE_MISSING);
    }

    @Test
    void anEarlierTracebackIsNotTheCauseWhereMuchCameBeforeAnother() {
        var earlier =
                "Traceback (most recent call last):\n"
                        + "  x\n"
                        + "ModuleNotFoundError: No module named 'a'\n";
        var later = "Traceback (most recent call last):\n  x\nKeyError: 'b'\n";

        assertThat(cause(earlier + "line\n".repeat(11) + later, 1)).contains(Cause.TRACEBACK);
        assertThat(cause(earlier + later, 1)).contains(Cause.MODULE_MISSING);
    }

    @Test
    void theRootDecidesAndNotWhatFollowedFromIt() {
        var nccl = "torch.distributed.DistBackendError: NCCL error in: a.cpp:1, remote error\n";

        assertThat(cause(nccl, 1)).contains(Cause.NCCL);
        assertThat(cause(nccl + "[rank0]: " + OOM, 1)).contains(Cause.OOM);
        assertThat(cause("[rank0]: " + OOM + "\n" + nccl, 1)).contains(Cause.OOM);
    }

    @Test
    void ofSeveralCardsOutOfMemoryTheFirstIsDecisive() {
        var found =
                LogAnalyzer.diagnose("[rank1]: " + OOM + "\n[rank0]: " + OOM, OptionalInt.of(1));

        assertThat(found.orElseThrow().line()).startsWith("[rank1]");
    }

    @ParameterizedTest
    @CsvSource({
        "137, HOST_OOM",
        "139, SEGFAULT",
        "127, COMMAND_MISSING",
        "126, PERMISSION",
        "1, ",
        "143, "
    })
    void anExitCodeAloneMaySayEnough(int code, Cause wanted) {
        assertThat(cause("some words", code)).isEqualTo(Optional.ofNullable(wanted));
    }

    @Test
    void aFailureWithoutExitCodeHasADiagnosisAndASuccessHasNone() {
        assertThat(LogAnalyzer.diagnose(OOM, OptionalInt.empty())).isPresent();
        assertThat(LogAnalyzer.diagnose(OOM, OptionalInt.of(0))).isEmpty();
    }

    @Test
    void theDecisiveLineIsPlainAndShort() {
        var coloured = "\u001b[31m" + OOM + "\u001b[0m\u0000 " + "x".repeat(5000) + "\r\n";

        var found = LogAnalyzer.diagnose(coloured, OptionalInt.of(1)).orElseThrow();

        assertThat(found.line()).startsWith(OOM).hasSize(300).doesNotContain("\u001b", "\u0000");
    }

    @Test
    void aProgressBarBeforeATracebackDoesNotHideIt() {
        var text =
                "  0%|    | 0/9 [00:00<?, ?it/s]Traceback (most recent call last):\n"
                        + "  x\n"
                        + "KeyError: 1";

        assertThat(cause(text, 1)).contains(Cause.TRACEBACK);
    }

    @Test
    void onlyHardwareFailuresCountAgainstTheGpu() {
        assertThat(Cause.values())
                .filteredOn(Cause::isGpuFailure)
                .containsExactly(Cause.GPU_HARDWARE);
        assertThat(cause("CUDA error: an illegal memory access was encountered", 1))
                .contains(Cause.CUDA);
    }

    @Test
    void aCardThatSomebodyElseHoldsOrThatRepairedItselfIsNotBroken() {
        assertThat(cause("CUDA error: CUDA-capable device(s) is/are busy or unavailable", 1))
                .contains(Cause.DRIVER);
        assertThat(cause("CUDA error: all CUDA-capable devices are busy or unavailable", 1))
                .contains(Cause.DRIVER);
        assertThat(cause("NVRM: Xid (PCI:0000:b1:00): 63, row remapped", 1)).isEmpty();
        assertThat(cause("NVRM: Xid (PCI:0000:b1:00): 64, row not remapped", 1))
                .contains(Cause.GPU_HARDWARE);
    }

    /** The searched text is bounded, so that a hostile log costs no more than a large one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a.",
                "1/",
                "\r1",
                "\u001b[",
                "'",
                "[rank1]: x\n",
                "epoch ",
                "%|",
                "Killed  "
            })
    void aHostileLogIsReadInPieces(String piece) {
        var text = piece.repeat(1_000_000 / piece.length());

        var transcript = AnalyzedLog.of(text);
        int most =
                transcript.candidates().stream()
                        .mapToInt(index -> transcript.entry(index).text().length())
                        .sum();
        assertThat(PlainLines.of(text).stream().mapToInt(String::length).max().orElse(0))
                .isLessThanOrEqualTo(PlainLines.MAX_LINE_CHARS);
        assertThat(most)
                .isLessThanOrEqualTo(AnalyzedLog.MAX_CANDIDATE_CHARS + PlainLines.MAX_LINE_CHARS);
        assertThat(cause(text, 1)).isEmpty();
    }

    private static Optional<Cause> cause(String log, int exitCode) {
        return LogAnalyzer.diagnose(log, OptionalInt.of(exitCode)).map(Diagnosis::cause);
    }
}
