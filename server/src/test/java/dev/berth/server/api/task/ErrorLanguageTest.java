package dev.berth.server.api.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.MachineFault;
import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;
import dev.berth.texts.StoredSentences;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Every error that Berth writes itself is shown in the language of the reader. */
class ErrorLanguageTest {

    private static final Catalogue ENGLISH = Catalogue.in(Language.ENGLISH);

    @ParameterizedTest
    @EnumSource
    void theCatalogueHasEverySentenceAsItIsStored(ErrorSentence sentence) {
        var template = ENGLISH.template("error." + sentence.code());
        var places = new TreeMap<String, String>();
        template.names().forEach(name -> places.put(name, "{" + name + "}"));
        assertThat(template.render(places, Language.ENGLISH)).isEqualTo(sentence.pattern());
    }

    @ParameterizedTest
    @EnumSource
    void everySentenceIsFoundAgain(ErrorSentence sentence) {
        var values = IntStream.range(0, places(sentence)).mapToObj(i -> "v" + i).toArray();
        var chinese = chinese(sentence.text(values));
        assertThat(chinese).containsPattern("[\\u4e00-\\u9fff]");
        for (var value : values) {
            assertThat(chinese).contains(value.toString());
        }
    }

    @Test
    void theCatalogueHasNoOtherErrors() {
        assertThat(ENGLISH.keys().stream().filter(key -> key.startsWith("error.")))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(ErrorSentence.values())
                                .map(one -> "error." + one.code())
                                .toList());
    }

    static Stream<Ending> endings() {
        var fault = new MachineFault(MachineFault.Kind.DISK_FULL, "No space left on device");
        return Stream.of(
                new Ending.Exited(1),
                new Ending.Exited(139),
                new Ending.Vanished(),
                new Ending.Vanished("x"),
                new Ending.MachineRestarted(),
                new Ending.NeverStarted(),
                new Ending.LaunchFailed(ErrorSentence.LAUNCH_FAILED.text("x")),
                new Ending.NotLaunched(fault),
                new Ending.StartTimedOut(ErrorSentence.START_TIMEOUT.text(30)),
                new Ending.Interrupted(ErrorSentence.SLURM_INTERRUPTED.text()),
                new Ending.CallFailed(
                        Ending.CallFailed.WORKER_OFFLINE, ErrorSentence.WORKER_OFFLINE.text()));
    }

    @ParameterizedTest
    @MethodSource("endings")
    void everyKindOfEndingHasASentence(Ending ending) {
        assertThat(chinese(ending.error())).containsPattern("[\\u4e00-\\u9fff]");
    }

    @Test
    void noKindOfEndingIsLeftOut() {
        assertThat(endings().<Class<?>>map(Ending::getClass).collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(Ending.class.getPermittedSubclasses());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit code 3 | 退出码 3",
                "exit code 129 (SIGHUP) | 退出码 129（SIGHUP）",
                "exit code 134 (SIGABRT: aborted) | 退出码 134（SIGABRT：程序中止）",
                "ended with no exit code: its directory was deleted | 已结束，没有退出码：任务目录已被删除",
                "not started: No space left on device | 未启动：No space left on device",
                "GPU error: missing from the latest readings | GPU 故障：最近几次读取中没有该 GPU",
                "Worker offline: exit code 1: no model | 工作进程没有响应：退出码 1: no model",
                "ended with no exit code: ann resolved it as ended | 已结束，没有退出码：由 ann 处理为 ended",
            })
    void aSentenceInsideAnotherIsShownToo(String stored, String chinese) {
        assertThat(chinese(stored)).isEqualTo(chinese);
    }

    @ParameterizedTest
    @CsvSource({"ValueError: bad shape", "the model said no", "''"})
    void aTextOfSomethingElseStaysAsItIs(String stored) {
        assertThat(chinese(stored)).isEqualTo(stored);
    }

    @ParameterizedTest
    @EnumSource
    void englishStaysAsItIsStored(ErrorSentence sentence) {
        assertThat(StoredSentences.in(Language.ENGLISH, sentence.pattern()))
                .isEqualTo(sentence.pattern());
    }

    private static String chinese(String stored) {
        return StoredSentences.in(Language.CHINESE, stored);
    }

    private static int places(ErrorSentence sentence) {
        return (int) sentence.pattern().chars().filter(c -> c == '{').count();
    }
}
