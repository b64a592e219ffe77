package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

class LogAnalyzerCorpusTest {

    @Test
    void readsTheCauseAndTheDecisiveLineOfFailingLogs() {
        var wrong = new ArrayList<String>();
        for (var log : LogCorpus.failing()) {
            var found = LogAnalyzer.diagnose(log.text(), OptionalInt.of(log.exitCode()));
            var wanted =
                    Optional.of(
                            new Diagnosis(
                                    Cause.valueOf(log.cause().toUpperCase(Locale.ROOT)),
                                    log.line(),
                                    log.params()));
            if (!found.equals(wanted)) {
                wrong.add(log.name() + ":\n  found  " + found + "\n  wanted " + wanted);
            }
        }
        int all = LogCorpus.failing().size();
        System.out.println("failing logs: " + (all - wrong.size()) + " of " + all + " right");

        assertThat(all).isGreaterThanOrEqualTo(40);
        assertThat(wrong).isEmpty();
    }

    @Test
    void findsNothingInHealthyLogsNotEvenWhenAskedAsIfTheyHadFailed() {
        var alarms = new ArrayList<String>();
        for (var log : LogCorpus.healthy()) {
            LogAnalyzer.diagnose(log.text(), OptionalInt.of(log.exitCode()))
                    .ifPresent(found -> alarms.add(log.name() + ": " + found));
            LogAnalyzer.diagnose(log.text(), OptionalInt.of(1))
                    .ifPresent(found -> alarms.add(log.name() + " as failed: " + found));
        }
        int all = LogCorpus.healthy().size();
        System.out.println("healthy logs: " + alarms.size() + " false alarms in " + all);

        assertThat(all).isGreaterThanOrEqualTo(40);
        assertThat(alarms).isEmpty();
    }

    @Test
    void aLogOfATaskThatEndedWellHasNoDiagnosisWhateverItSays() {
        for (var log : LogCorpus.failing()) {
            assertThat(LogAnalyzer.diagnose(log.text(), OptionalInt.of(0))).isEmpty();
        }
    }

    @Test
    void everyCauseIsInTheCorpus() {
        assertThat(LogCorpus.failing().stream().map(LogCorpus.Failing::cause).distinct())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Cause.values()).map(Cause::code).toList());
    }
}
