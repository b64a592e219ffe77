package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntFunction;

/** Measures the rules on logs of somebody who did not know them. */
class UnseenLogsTest {

    private static final Set<String> PYTHON_ITSELF =
            Set.of(
                    "distutils",
                    "imp",
                    "_ctypes",
                    "_bz2",
                    "_lzma",
                    "_sqlite3",
                    "tkinter",
                    "_tkinter");

    @Test
    void findsCauseAndDecisiveLine() {
        var logs = UnseenLogs.failing();
        var wrongCauses = new ArrayList<String>();
        var wrongLines = new ArrayList<String>();
        for (var log : logs) {
            var found = LogAnalyzer.diagnose(log.text(), OptionalInt.of(log.exitCode()));
            if (!hasCause(found, log)) {
                wrongCauses.add(compared(log, found));
            }
            if (!hasLine(found, log.decisive())) {
                wrongLines.add(compared(log, found));
            }
        }
        int few = logs.size() / 20;
        assertThat(logs).hasSizeGreaterThanOrEqualTo(100);
        assertThat(wrongCauses).hasSizeLessThanOrEqualTo(few);
        assertThat(wrongLines).hasSizeLessThanOrEqualTo(few);
    }

    @Test
    void anExceptionIsShownWithItsPlaceInTheUsersOwnCode() {
        var without = new ArrayList<String>();
        for (var log : UnseenLogs.failing()) {
            var found = LogAnalyzer.diagnose(log.text(), OptionalInt.of(log.exitCode()));
            boolean hasFrame =
                    log.text().lines().anyMatch(line -> UserFrame.placeOf(line).isPresent());
            if (hasFrame
                    && found.filter(one -> one.params().containsKey("exception")).isPresent()
                    && found.filter(one -> one.params().containsKey(Diagnosis.FRAME)).isEmpty()) {
                without.add(compared(log, found));
            }
        }
        assertThat(without).isEmpty();
    }

    @Test
    void noAdviceInstallsAModuleOfPythonItself() {
        for (var log : UnseenLogs.failing()) {
            LogAnalyzer.diagnose(log.text(), OptionalInt.of(log.exitCode()))
                    .filter(found -> found.cause() == Cause.MODULE_MISSING)
                    .map(found -> new PythonModule(found.params().getOrDefault("module", "")))
                    .filter(module -> PYTHON_ITSELF.contains(module.top()))
                    .ifPresent(module -> assertThat(module.variant()).isNotEmpty());
        }
    }

    @Test
    void prefixesOfLoggersAndLaunchersLoseAlmostNothing() {
        var lost = new ArrayList<String>();
        var logs = UnseenLogs.failing().stream().filter(UnseenLogsTest::isRight).toList();
        for (var prefix : LogPrefixes.ALL) {
            for (var log : logs) {
                var found =
                        LogAnalyzer.diagnose(
                                UnseenLogs.behind(prefix, log.text()),
                                OptionalInt.of(log.exitCode()));
                if (!hasCause(found, log) || !hasLine(found, log.decisiveBehind(prefix))) {
                    lost.add(prefix.apply(0) + compared(log, found));
                }
            }
        }
        int all = LogPrefixes.ALL.size() * logs.size();
        assertThat(lost).hasSizeLessThanOrEqualTo(all / 50);
    }

    @Test
    void raisesNoAlarmInHealthyLogsNotEvenAsIfTheyHadFailed() {
        assertThat(UnseenLogs.healthy()).hasSizeGreaterThanOrEqualTo(60);
        assertThat(alarms(_ -> "", 0)).isEmpty();
        assertThat(alarms(_ -> "", 1)).isEmpty();
    }

    @Test
    void noPrefixMakesAHealthyLogAFailure() {
        for (var prefix : LogPrefixes.ALL) {
            assertThat(alarms(prefix, 1)).isEmpty();
        }
    }

    private static List<String> alarms(IntFunction<String> prefix, int exitCode) {
        var alarms = new ArrayList<String>();
        for (var log : UnseenLogs.healthy()) {
            LogAnalyzer.diagnose(UnseenLogs.behind(prefix, log.text()), OptionalInt.of(exitCode))
                    .ifPresent(found -> alarms.add(log.name() + ": " + found));
        }
        return alarms;
    }

    private static boolean isRight(UnseenLogs.Failing log) {
        var found = LogAnalyzer.diagnose(log.text(), OptionalInt.of(log.exitCode()));
        return hasCause(found, log) && hasLine(found, log.decisive());
    }

    private static boolean hasCause(Optional<Diagnosis> found, UnseenLogs.Failing log) {
        return found.filter(one -> log.causes().contains(one.cause().code())).isPresent();
    }

    private static boolean hasLine(Optional<Diagnosis> found, Set<String> decisive) {
        return found.filter(one -> decisive.contains(one.line())).isPresent();
    }

    private static String compared(UnseenLogs.Failing log, Optional<Diagnosis> found) {
        return log.name()
                + ":\n  found  "
                + found
                + "\n  wanted "
                + log.causes()
                + " "
                + log.decisive();
    }
}
