package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

class LogCasesTest {

    private static final int MAX_LINE_CHARS = 300;

    @Test
    void findsCauseAndDecisiveLine() {
        var wrong = new ArrayList<String>();
        for (var log : LogCases.failing()) {
            check(log.name(), log, log.text(), log.line()).ifPresent(wrong::add);
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void findsNothingInLogsOfSurvivedErrors() {
        var alarms = new ArrayList<String>();
        for (var log : LogCases.healthy()) {
            LogAnalyzer.diagnose(log.text(), OptionalInt.of(log.exitCode()))
                    .ifPresent(found -> alarms.add(log.name() + ": " + found));
        }
        assertThat(alarms).isEmpty();
    }

    /** What loggers and launchers print before each line must not change what is found. */
    @Test
    void findsTheSameBehindThePrefixesOfLoggersAndLaunchers() {
        var wrong = new ArrayList<String>();
        int all = 0;
        for (var prefix : LogPrefixes.ALL) {
            for (var log : LogCases.failing()) {
                all++;
                var text = new StringBuilder();
                for (int i = 0; i < log.lines().size(); i++) {
                    text.append(prefix.apply(i)).append(log.lines().get(i)).append('\n');
                }
                var line = log.lineNumber() < 0 ? "" : prefix.apply(log.lineNumber());
                check(prefix.apply(0) + log.name(), log, text.toString(), line + log.line())
                        .ifPresent(wrong::add);
            }
        }
        System.out.println("prefixes: " + (all - wrong.size()) + " of " + all + " right");
        assertThat(wrong).hasSizeLessThanOrEqualTo(all / 200);
    }

    @Test
    void noPrefixMakesAHealthyLogAFailure() {
        var alarms = new ArrayList<String>();
        for (var prefix : LogPrefixes.ALL) {
            for (var log : LogCases.healthy()) {
                var text = new StringBuilder();
                for (int i = 0; i < log.lines().size(); i++) {
                    text.append(prefix.apply(i)).append(log.lines().get(i)).append('\n');
                }
                LogAnalyzer.diagnose(text.toString(), OptionalInt.of(log.exitCode()))
                        .ifPresent(
                                found -> alarms.add(prefix.apply(0) + log.name() + ": " + found));
            }
        }
        assertThat(alarms).isEmpty();
    }

    private static Optional<String> check(
            String name, LogCases.Case log, String text, String line) {
        var found = LogAnalyzer.diagnose(text, OptionalInt.of(log.exitCode()));
        var cause = found.map(one -> one.cause().name().toLowerCase(Locale.ROOT));
        var plain = line.replace("\u001b[31m", "").strip();
        var wanted = plain.length() > MAX_LINE_CHARS ? plain.substring(0, MAX_LINE_CHARS) : plain;
        boolean isRight =
                cause.equals(log.cause())
                        && found.map(Diagnosis::line).filter(wanted::equals).isPresent();
        return isRight
                ? Optional.empty()
                : Optional.of(
                        name + ":\n  found  " + found + "\n  wanted " + log.cause() + " " + wanted);
    }
}
