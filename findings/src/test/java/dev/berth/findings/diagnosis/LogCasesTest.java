package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntFunction;

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
        for (var prefix : prefixes()) {
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
        for (var prefix : prefixes()) {
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

    /** By the number of the line: times go on from line to line. */
    private static List<IntFunction<String>> prefixes() {
        return List.of(
                i -> "2024-01-02T03:04:%02dZ ".formatted(i),
                i -> "[2024-01-02 03:04:%02d] ".formatted(i),
                i -> "2024-01-02 03:04:%02d,678 - root - ERROR - ".formatted(i),
                i -> "2024-01-02 03:04:%02d,678 - train - INFO - ".formatted(i),
                i -> "2024-01-02 03:04:%02d.678 | ERROR    | train:main:12 - ".formatted(i),
                i -> "[2024-01-02 03:04:%02d,678][train][ERROR] - ".formatted(i),
                i -> "03:04:%02d ".formatted(i),
                i -> "ERROR:root:",
                i -> "0: ",
                i -> "[rank0]: ",
                i -> "[default0]:",
                i -> "[1,0]<stderr>:",
                i -> "(RayTrainWorker pid=812, ip=10.0.0.7) ",
                i -> "(pid=812) ",
                i -> "E0102 03:04:%02d.678901 812 logging.cc:12] ".formatted(i),
                i -> "2024-01-02T03:04:%02d.123456789Z stderr F ".formatted(i),
                i -> "Jan  2 03:04:%02d node1 python[812]: ".formatted(i),
                i -> "worker-1  | ",
                i -> "\u001b[31m",
                i -> "0: 2024-01-02 03:04:%02d,678 ERROR ".formatted(i));
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
