package dev.berth.core.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Ending;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

class DoctorCorpusTest {

    @Test
    void readsTheCauseAndTheDecisiveLineOfFailingLogs() {
        var wrong = new ArrayList<String>();
        for (var log : Corpus.failing()) {
            var found = Doctor.diagnose(log.text(), new Ending.Exited(log.exitCode()));
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
        int all = Corpus.failing().size();
        System.out.println("failing logs: " + (all - wrong.size()) + " of " + all + " right");

        assertThat(all).isGreaterThanOrEqualTo(40);
        assertThat(wrong).isEmpty();
    }

    @Test
    void findsNothingInHealthyLogsNotEvenWhenAskedAsIfTheyHadFailed() {
        var alarms = new ArrayList<String>();
        for (var log : Corpus.healthy()) {
            Doctor.diagnose(log.text(), new Ending.Exited(log.exitCode()))
                    .ifPresent(found -> alarms.add(log.name() + ": " + found));
            Doctor.diagnose(log.text(), new Ending.Exited(1))
                    .ifPresent(found -> alarms.add(log.name() + " as failed: " + found));
        }
        int all = Corpus.healthy().size();
        System.out.println("healthy logs: " + alarms.size() + " false alarms in " + all);

        assertThat(all).isGreaterThanOrEqualTo(40);
        assertThat(alarms).isEmpty();
    }

    @Test
    void aLogOfATaskThatEndedWellHasNoDiagnosisWhateverItSays() {
        for (var log : Corpus.failing()) {
            assertThat(Doctor.diagnose(log.text(), new Ending.Exited(0))).isEmpty();
        }
    }

    @Test
    void everyCauseIsInTheCorpus() {
        assertThat(Corpus.failing().stream().map(Corpus.Failing::cause).distinct())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Cause.values()).map(Cause::word).toList());
    }
}
