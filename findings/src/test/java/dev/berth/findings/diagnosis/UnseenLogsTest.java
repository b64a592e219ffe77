package dev.berth.findings.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Predicate;

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

    /** Known mistakes: whoever mends one removes it here. */
    private static final Set<String> WRONG_CAUSES =
            Set.of("sbatch_invalid_partition", "three_keras3_tf_keras_needed");

    private static final Set<String> WRONG_LINES =
            Set.of(
                    "hw_nvlink_xid74_nccl",
                    "sbatch_invalid_partition",
                    "two_jax_cudnn_outdated",
                    "three_keras3_tf_keras_needed",
                    "three_openmpi_btl_no_route",
                    "three_tf_illegal_address_poll");

    private static final List<UnseenLogs.Healthy> HEALTHY = UnseenLogs.healthy();

    private static final List<Examined> EXAMINED =
            UnseenLogs.failing().parallelStream().map(UnseenLogsTest::examine).toList();

    private record Examined(UnseenLogs.Failing log, Optional<Diagnosis> found) {

        boolean hasCause() {
            return found.filter(one -> log.causes().contains(one.cause().code())).isPresent();
        }

        boolean hasLine() {
            return found.filter(one -> log.decisive().contains(one.line())).isPresent();
        }

        String compared() {
            return log.name()
                    + ":\n  found  "
                    + found
                    + "\n  wanted "
                    + log.causes()
                    + " "
                    + log.decisive();
        }
    }

    private static Examined examine(UnseenLogs.Failing log) {
        return new Examined(log, LogAnalyzer.diagnose(log.text(), OptionalInt.of(log.exitCode())));
    }

    @Test
    void findsCauseAndDecisiveLine() {
        assertThat(EXAMINED).hasSizeGreaterThanOrEqualTo(100);
        assertThat(unexpected(Examined::hasCause, WRONG_CAUSES)).isEmpty();
        assertThat(unexpected(Examined::hasLine, WRONG_LINES)).isEmpty();
    }

    /** Logs with a new mistake, and logs that are right although a mistake is expected. */
    private static List<String> unexpected(Predicate<Examined> isRight, Set<String> wrong) {
        return EXAMINED.stream()
                .filter(one -> isRight.test(one) == wrong.contains(one.log().name()))
                .map(Examined::compared)
                .toList();
    }

    @Test
    void anExceptionIsShownWithItsPlaceInTheUsersOwnCode() {
        assertThat(
                        EXAMINED.stream()
                                .filter(one -> hasParam(one, "exception"))
                                .filter(one -> !hasParam(one, Diagnosis.FRAME))
                                .filter(UnseenLogsTest::hasUserFrame)
                                .map(Examined::compared))
                .isEmpty();
    }

    private static boolean hasParam(Examined one, String name) {
        return one.found().filter(found -> found.params().containsKey(name)).isPresent();
    }

    private static boolean hasUserFrame(Examined one) {
        return one.log().text().lines().anyMatch(line -> UserFrame.placeOf(line).isPresent());
    }

    @Test
    void noAdviceInstallsAModuleOfPythonItself() {
        for (var one : EXAMINED) {
            one.found()
                    .filter(found -> found.cause() == Cause.MODULE_MISSING)
                    .map(found -> new PythonModule(found.params().getOrDefault("module", "")))
                    .filter(module -> PYTHON_ITSELF.contains(module.top()))
                    .ifPresent(module -> assertThat(module.variant()).isNotEmpty());
        }
    }

    @Test
    void prefixesOfLoggersAndLaunchersLoseAlmostNothing() {
        var right =
                EXAMINED.stream()
                        .filter(one -> one.hasCause() && one.hasLine())
                        .map(Examined::log)
                        .toList();
        var lost =
                LogPrefixes.ALL.parallelStream()
                        .flatMap(prefix -> right.stream().map(log -> behind(prefix, log)))
                        .filter(one -> !one.hasCause() || !one.hasLine())
                        .map(Examined::compared)
                        .toList();
        assertThat(lost).hasSizeLessThanOrEqualTo(LogPrefixes.ALL.size() * right.size() / 1000);
    }

    private static Examined behind(IntFunction<String> prefix, UnseenLogs.Failing log) {
        return examine(
                new UnseenLogs.Failing(
                        prefix.apply(0) + log.name(),
                        log.exitCode(),
                        log.causes(),
                        log.decisiveBehind(prefix),
                        UnseenLogs.behind(prefix, log.text())));
    }

    @Test
    void raisesNoAlarmInHealthyLogsNotEvenAsIfTheyHadFailed() {
        assertThat(HEALTHY).hasSizeGreaterThanOrEqualTo(60);
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
        return HEALTHY.parallelStream()
                .flatMap(log -> alarm(prefix, log, exitCode).stream())
                .toList();
    }

    private static Optional<String> alarm(
            IntFunction<String> prefix, UnseenLogs.Healthy log, int exitCode) {
        return LogAnalyzer.diagnose(UnseenLogs.behind(prefix, log.text()), OptionalInt.of(exitCode))
                .map(found -> log.name() + ": " + found);
    }
}
