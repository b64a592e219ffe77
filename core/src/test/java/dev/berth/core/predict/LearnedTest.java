package dev.berth.core.predict;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

class LearnedTest {

    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final Owner ANN = Owner.unix("ann");
    private static final Owner BOB = Owner.unix("bob");

    private Learned learned = Learned.NOTHING;
    private long ids;

    private static TaskSpec spec(String name, String command) {
        return TaskSpec.of(name, command, Need.gpus(1), "/");
    }

    private void ran(Owner owner, TaskSpec spec, int seconds) {
        ran(owner, spec, seconds, true, OptionalLong.empty());
    }

    private void ran(
            Owner owner, TaskSpec spec, int seconds, boolean isComplete, OptionalLong peak) {
        var kind = RunKind.of(owner, spec);
        var run =
                new PastRun(
                        new TaskId(++ids),
                        kind.fingerprint(),
                        kind.command(),
                        T0.plusSeconds(ids),
                        Duration.ofSeconds(seconds),
                        isComplete,
                        peak);
        learned = learned.with(kind, run);
    }

    private Optional<Long> predicted(Owner owner, TaskSpec spec) {
        return learned.of(owner, spec).map(time -> time.median().toSeconds());
    }

    /** Only for the order of tasks: nothing is predicted from it. */
    @Test
    void aNewTaskIsExpectedToTakeAsLongAsOthersWithAsManyGpus() {
        ran(ANN, spec("train", "python train.py"), 10);
        ran(ANN, spec("train", "python train.py"), 40, false, OptionalLong.empty());
        ran(BOB, spec("eval", "./eval.sh"), 10);

        assertThat(learned.expected(ANN, spec("train", "python train.py")))
                .as("the mean, also of failed runs")
                .contains(Duration.ofSeconds(25));
        assertThat(learned.expected(BOB, spec("new", "./new.sh"))).contains(Duration.ofSeconds(20));
        assertThat(learned.of(BOB, spec("new", "./new.sh"))).isEmpty();
        assertThat(learned.expected(BOB, TaskSpec.of("new", "./new.sh", Need.gpus(2), "/")))
                .isEmpty();
    }

    @Test
    void theSameNamePredictsAndANewNameWithANewCommandDoesNot() {
        for (int i = 0; i < 3; i++) {
            ran(ANN, spec("train", "python train.py --lr 0." + i), 4);
        }
        assertThat(learned.of(ANN, spec("train", "python train.py --lr 0.9")))
                .contains(new RunTime(Duration.ofSeconds(4), Duration.ofSeconds(5), 3));
        assertThat(predicted(ANN, spec("train", "./other.sh"))).as("same name").contains(4L);
        assertThat(predicted(BOB, spec("mine", "python train.py --lr 0.1")))
                .as("same command")
                .contains(4L);
        assertThat(predicted(BOB, spec("mine", "python train.py --lr 7")))
                .as("other numbers of another user")
                .isEmpty();
        assertThat(predicted(BOB, spec("train", "./other.sh"))).as("another's name").isEmpty();
        assertThat(predicted(ANN, spec("new", "./new.sh"))).isEmpty();
    }

    @Test
    void theNarrowGroupPrecedesTheWideOnes() {
        ran(ANN, spec("train", "a"), 100);
        ran(ANN, spec("train", "b"), 7);
        assertThat(predicted(ANN, spec("train", "b"))).contains(7L);
        assertThat(predicted(ANN, spec("train", "b").with(Need.gpus(2))))
                .as("of the same name, with another need")
                .contains(53L);
    }

    @Test
    void theVerySameCommandPrecedesOtherNumbersOnceItRanOften() {
        for (int i = 0; i < 10; i++) {
            ran(ANN, spec("train", "./train --epochs 1"), 60);
        }
        for (int i = 0; i < RunTimes.MIN_RUNS_FOR_BOUND; i++) {
            assertThat(predicted(ANN, spec("train", "./train --epochs 99"))).contains(60L);
            ran(ANN, spec("train", "./train --epochs 99"), 6000);
        }
        assertThat(predicted(ANN, spec("train", "./train --epochs 99"))).contains(6000L);
        assertThat(predicted(ANN, spec("train", "./train --epochs 1"))).contains(60L);
        assertThat(predicted(ANN, spec("train", "./train --epochs 5"))).contains(60L);
    }

    @Test
    void aShortSleepSaysNothingAboutALongOneOfAnotherName() {
        ran(ANN, spec("nap", "sleep 0.1"), 1);
        assertThat(predicted(ANN, spec("night", "sleep 200"))).isEmpty();
        assertThat(predicted(BOB, spec("night", "sleep 0.1"))).contains(1L);
        assertThat(predicted(ANN, spec("nap", "sleep 200"))).as("own name").contains(1L);
    }

    @Test
    void theModelAndTypeOfATaskPredictToo() {
        var work = new ModelWork(Optional.of("mace"), Optional.of("stability"), 100);
        ran(ANN, spec("one", "./one").with(work), 60);
        assertThat(predicted(BOB, spec("two", "./two").with(work))).contains(60L);
        var other = new ModelWork(Optional.of("mace"), Optional.of("optimization"), 100);
        assertThat(predicted(BOB, spec("two", "./two").with(other))).isEmpty();
    }

    /** It took at least as long as it ran. */
    @Test
    void aRunThatWasCutShortNeverShortensAPrediction() {
        for (int i = 0; i < 5; i++) {
            ran(ANN, spec("train", "a"), 100);
        }
        ran(ANN, spec("train", "a"), 2, false, OptionalLong.empty());
        assertThat(learned.of(ANN, spec("train", "a")).orElseThrow())
                .isEqualTo(new RunTime(Duration.ofSeconds(100), Duration.ofSeconds(125), 5));
        ran(ANN, spec("train", "a"), 900, false, OptionalLong.empty());
        assertThat(learned.of(ANN, spec("train", "a")).orElseThrow().p90())
                .isGreaterThanOrEqualTo(Duration.ofSeconds(900));
        ran(BOB, spec("fails", "./fails"), 9, false, OptionalLong.empty());
        assertThat(predicted(BOB, spec("fails", "./fails"))).isEmpty();
    }

    @Test
    void nineOfTenFurtherRunsTakeNoLongerThanTheHighPrediction() {
        var random = new java.util.Random(7);
        int within = 0;
        int total = 20_000;
        for (int i = 0; i < total; i++) {
            var length = 10 + (int) Math.exp(5 + random.nextGaussian());
            var known = learned.of(ANN, spec("train", "a"));
            within +=
                    known.isPresent() && known.get().p90().compareTo(Duration.ofSeconds(length)) < 0
                            ? 0
                            : 1;
            ran(ANN, spec("train", "a"), length);
        }
        assertThat(within / (double) total).isBetween(0.90, 0.97);
    }

    @Test
    void theBoundIsTheTimeLimitElseTheHighPredictionOfFiveRuns() {
        for (int i = 0; i < 4; i++) {
            ran(ANN, spec("train", "a"), 10);
        }
        assertThat(learned.bound(task(spec("train", "a")))).isEmpty();
        ran(ANN, spec("train", "a"), 20);
        assertThat(learned.bound(task(spec("train", "a")))).contains(Duration.ofSeconds(25));
        assertThat(learned.bound(task(spec("train", "a").with(Duration.ofHours(1)))))
                .contains(Duration.ofHours(1));
    }

    private static dev.berth.core.task.Task task(TaskSpec spec) {
        return dev.berth.core.task.Task.queued(new TaskId(1), ANN, spec, T0);
    }

    @Test
    void fortyAskedAndTenUsedTwiceSuggestTwelve() {
        var asks =
                spec("train", "a")
                        .with(
                                new Need.Gpus(
                                        Need.GpuCount.of(1),
                                        Optional.empty(),
                                        Need.GpuMemory.of(40 * 1024)));
        ran(ANN, asks, 10, true, OptionalLong.of(10 * 1024));
        assertThat(learned.memoryMib(ANN, asks)).as("one run is not enough").isEmpty();
        ran(ANN, asks, 10, true, OptionalLong.of(10 * 1024));
        assertThat(learned.memoryMib(ANN, asks)).hasValue(12 * 1024);
        assertThat(learned.memoryMib(BOB, spec("other", "./b"))).isEmpty();
    }

    @Test
    void whatIsForgottenPredictsNothingAlsoForSimilarTasks() {
        ran(ANN, spec("train", "a"), 10);
        ran(ANN, spec("eval", "a"), 30);
        var fingerprint = RunKind.of(ANN, spec("train", "a")).fingerprint();
        learned = learned.forget(fingerprint, T0.plusSeconds(100));
        assertThat(predicted(ANN, spec("train", "b"))).isEmpty();
        assertThat(predicted(BOB, spec("new", "a"))).as("of eval only").contains(30L);
        learned = learned.forget(Learned.ALL, T0.plusSeconds(100));
        assertThat(predicted(ANN, spec("eval", "a"))).isEmpty();
        assertThat(learned.byAge()).isEmpty();
    }

    @Test
    void earlierRunsAreAddedWithoutForgottenOnes() {
        ran(ANN, spec("train", "a"), 10);
        ran(ANN, spec("eval", "b"), 10);
        var earlier = learned;
        learned = Learned.NOTHING;
        ran(ANN, spec("train", "a"), 30);
        var eval = RunKind.of(ANN, spec("eval", "b")).fingerprint();
        learned = learned.forget(eval, T0.plusSeconds(100)).withEarlier(earlier);
        assertThat(predicted(ANN, spec("train", "a"))).contains(20L);
        assertThat(predicted(ANN, spec("eval", "b"))).isEmpty();
        assertThat(learned.withEarlier(earlier).of(ANN, spec("train", "a")).orElseThrow().runs())
                .as("each run counts once")
                .isEqualTo(2);
    }

    @Test
    void aBuilderLearnsTheSameAsOneRunAfterAnother() {
        var builder = new LearnedBuilder();
        for (int i = 0; i < 30_000; i++) {
            var spec = spec("name " + i % 7001, "./c" + "x".repeat(i % 41));
            var kind = RunKind.of(i % 3 == 0 ? ANN : BOB, spec);
            var run =
                    new PastRun(
                            new TaskId(i + 1),
                            kind.fingerprint(),
                            kind.command(),
                            T0.plusSeconds(i),
                            Duration.ofSeconds(i % 100),
                            i % 5 != 0,
                            OptionalLong.empty());
            learned = learned.with(kind, run);
            builder.add(kind, run);
        }
        var built = builder.build();
        assertThat(built.groups().size()).isEqualTo(Learned.MAX_GROUPS);
        assertThat(built.byAge().equals(learned.byAge())).as("the same groups").isTrue();
        for (var entry : learned.groups()) {
            var group = built.groups().get(entry.getKey()).orElseThrow();
            assertThat(group.runs()).endsWith(entry.getValue().runs().toArray(PastRun[]::new));
        }
    }

    @Test
    void theNumberOfGroupsAndRunsIsLimited() {
        for (int i = 0; i < Learned.MAX_GROUPS; i++) {
            ran(
                    ANN,
                    spec(
                            "name " + "x".repeat(i % 100) + (char) ('a' + i / 100),
                            "c" + "y".repeat(i % 100) + (char) ('a' + i / 100)),
                    10);
        }
        assertThat(learned.groups().size()).isEqualTo(Learned.MAX_GROUPS);
        assertThat(learned.byAge().size()).isEqualTo(Learned.MAX_GROUPS);
        for (int i = 0; i < 100; i++) {
            ran(ANN, spec("same", "same"), i);
        }
        assertThat(learned.of(ANN, spec("same", "same")).orElseThrow().runs())
                .isEqualTo(RunGroup.MAX_RUNS);
    }
}
