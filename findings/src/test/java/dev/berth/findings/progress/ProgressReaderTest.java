package dev.berth.findings.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.findings.diagnosis.LogCorpus;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

class ProgressReaderTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "' 45%|████▌     | 450/1000 [01:23<01:41,  5.42it/s]'; 450; 1000; it; 5.42; 101",
                "'  0%|          | 0/1000 [00:00<?, ?it/s]'; 0; 1000; it; ; ",
                "' 20%|██        | 2/10 [02:00<08:00, 60.00s/it]'; 2; 10; it; 0.016666; 480",
                "'Predicting:  40%|████      | 40/100 [1:00:12<1:30:18, 90.3s/batch]'; 40; 100;"
                        + " batch; 0.011074; 5418",
                "'train:  10%|█  | 1.2k/12.0k [00:01<00:09, 1.20kit/s]'; 1200; 12000; it; 1200; 9",
                "' 50%|█████     | 50/100 [00:05<00:05, 10.0it/s, loss=0.31, acc=0.9]'; 50; 100;"
                        + " it; 10; 5",
                "'step 100/5000'; 100; 5000; step; ; ",
                "'Step: 100 / 5000 | loss 2.1'; 100; 5000; step; ; ",
                "'iter 10 of 200'; 10; 200; iter; ; ",
                "'Iteration [10/200] eta: 0:01:35'; 10; 200; iter; ; 95",
                "'2024-10-12 10:00:00,123 - INFO - Epoch 3/10'; 3; 10; epoch; ; ",
                "'Epoch [3/10]'; 3; 10; epoch; ; ",
                "'Epoch: 3/10'; 3; 10; epoch; ; ",
                "'[Rank 0] epoch 3 of 10'; 3; 10; epoch; ; ",
                "'=== EPOCH 3/10 ==='; 3; 10; epoch; ; ",
                "'Epoch 3/10, loss: 0.5'; 3; 10; epoch; ; ",
                "'Epoch [3/10], Step [45/100], Loss: 0.31'; 245; 1000; step; ; ",
                "'Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.2'; 640; 60000; step of epoch 1; ; ",
                "'Epoch: [2][  11/5005]\tTime  0.301'; 11; 5005; step of epoch 2; ; ",
                "'Epoch: [2]  [ 10/500]  eta: 0:01:02  lr: 0.1'; 10; 500; step of epoch 2; ; 62",
                "'| epoch   3 |   200/ 2928 batches | lr 20.00'; 200; 2928; step of epoch 3; ; ",
                "'Epoch 3:  40%|████      | 40/100 [00:12<00:18, 3.21it/s, v_num=0]'; 40; 100; it"
                        + " of epoch 3; 3.21; 18",
                "'Epoch 3/9 ━━━━━━━━╸━━━━━━━━ 40/100 0:00:12 • 0:00:18 3.21it/s'; 240; 900; it;"
                        + " 3.21; 205",
                "'| epoch 001:     20 / 39 loss=8.1, wps=962'; 20; 39; step of epoch 1; ; ",
                "'| epoch 010  2000 / 8223 loss=1.27 (1.50)'; 2000; 8223; step of epoch 10; ; ",
                "'2024-01-02 03:04:05 | INFO | train_inner | epoch 003:    100 / 512 loss=7';"
                        + " 100; 512; step of epoch 3; ; ",
                "'25% Completed | 2/8'; 2; 8; item; ; ",
                "'Timesteps: 25,600/50,000'; 25600; 50000; step; ; ",
                "'step 51,200/50,000'; 50000; 50000; step; ; ",
                "'Epoch[51](100/2500) loss 0.3'; 100; 2500; step of epoch 51; ; ",
                "'Epoch [1][50/100]	lr: 2.0e-02, eta: 1:02:03, time: 0.4'; 50; 100; step of"
                        + " epoch 1; ; 3723",
                "'01/02 03:04:05 - mmengine - INFO - Epoch(train)  [1][ 50/100]  lr: 1e-2  eta:"
                        + " 0:01:02'; 50; 100; step of epoch 1; ; 62",
                "'01/02 03:04:05 - mmengine - INFO - Iter(train) [  50/80000]  lr: 1e-2  eta: 1"
                        + " day, 2:00:00'; 50; 80000; iter; ; 93600",
                "'[1/5][400/1583]	Loss_D: 1.7 Loss_G: 5.1'; 400; 7915; step; ; ",
                "'       550 iter, 18 epoch / 100 epochs'; 18; 100; epoch; ; ",
                "'step 10/200, ETA: 2h 5m'; 10; 200; step; ; 7500",
                "'iteration 10/200 | remaining: 3.5 hours'; 10; 200; iter; ; 12600",
                "'0:  45/100 [==>....] - ETA: 11s - loss: 0.3'; 45; 100; step; ; 11",
                "'[rank0]: Processed 45/100'; 45; 100; item; ; ",
                "'Processing file 36 of 48: a.nii.gz'; 36; 48; item; ; ",
                "'iteration        1/     500 | lm loss: 3.1'; 1; 500; iter; ; ",
                "'       550 iter, 1 epoch / 3000 iterations'; 550; 3000; iter; ; ",
                "'total [..........]  0.53%'; 0; 100; %; ; ",
                "'[=====>     ] 45% ETA: 12s'; 45; 100; %; ; 12",
                "'Fitting  41%|████▎     |  ETA: 0:05:12'; 41; 100; %; ; 312",
                "'Resolving deltas:  45% (9/20)'; 9; 20; Git object; ; ",
                "'[Stage 3:====>      (31 + 8) / 100]'; 31; 100; Spark task; ; ",
                "'[7/50] train-rmse:0.912'; 7; 50; item; ; ",
                "'7/50 loss 0.3 eta 0:00:12'; 7; 50; item; ; 12",
                "'[7a/31408f] process > align (8) [ 25%] 6 of 24'; 6; 24; Nextflow task; ; ",
                "'{''global_step/max_steps'': ''6/30'', ''remaining_time'': ''1h 2m''}'; 6; 30;"
                        + " step; ; 3720",
                "'{\"iter\": 6, \"eta\": \"0:01:02\", \"max_iter\": 30, \"loss\": 1.5}'; 6; 30;"
                        + " step; ; 62",
                "'step 6, loss 1.5, exp. remaining 0:11:00, complete 75.88%'; 75; 100; %; ; 660",
                "'Progress: 40.5%'; 40; 100; %; ; ",
                "'40% done'; 40; 100; %; ; ",
                "'Progress: 0.512%'; 0; 100; %; ; ",
                "'2021-03-09 02:11:43,611 [steps/nnet3/chain/train_with_a_long_name.py:515 - train"
                    + " - INFO ] Iter: 12/140   Epoch: 0.34/4.0 (8.6% complete)'; 12; 140; iter; ;"
                    + " ",
                "'9.3%  proc''d: 204 (802 Gflop/s)   errors: 0'; 9; 100; %; ; "
            })
    void readsOneLine(
            String line, long done, long total, String unit, Double perSecond, Long leftSeconds) {
        var progress = read(line + "\n").orElseThrow();

        assertThat(progress.done()).isEqualTo(done);
        assertThat(progress.total()).isEqualTo(total);
        assertThat(progress.unit()).isEqualTo(unit);
        assertThat(progress.perSecond().isPresent()).isEqualTo(perSecond != null);
        progress.perSecond()
                .ifPresent(
                        rate ->
                                assertThat(rate)
                                        .isCloseTo(perSecond, Percentage.withPercentage(1)));
        assertThat(progress.timeLeft().map(Duration::toSeconds))
                .isEqualTo(Optional.ofNullable(leftSeconds));
        assertThat(progress.line()).isEqualTo(line.strip());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run started 2024/10/12",
                "epoch 2024/10/12 was long ago",
                "3/4 of the data",
                "reading a/1/2 and /data/3/10",
                "rank 0/8",
                "GPU 1/4",
                "1/2 files skipped",
                "version 2/3",
                "12/12 passed",
                "[3/10] done",
                "step 5/3",
                "epoch 1/1",
                "epoch 1.5",
                "Resuming from epoch 3/10",
                "best model at epoch 3/10",
                "see step 2 of 3 in the manual",
                "loss at step 3/4 was high",
                "a 45% discount | 3/4",
                "Accuracy: 9853/10000 (99%)",
                "100% (1203/1203), done.",
                "batch size 3/4",
                "epoch 010 | valid on 'valid' subset  1000 / 1311 loss=1.60",
                "75% of 3/4",
                "step 60,000/50,000",
                "936/1319 acc 0.71",
                "[936/1319] accuracy: 70.96",
                "Accuracy: 98% (98/100)",
                "Processing rank 3/8",
                "Completed attempt 2 of 3",
                "the upload is 40% done",
                "100% done",
                "GPU utilization 40%",
                "progress: 0.5",
                "progress: 120%",
                "9.8%  proc'd: -1 (0 Gflop/s)   errors: -1  (DIED!)  temps: --",
                "slot update_slots: id 0 | prompt processing progress, progress = 0.033895",
                "[33/b87af4] process > align (8) [100%] 8 of 8 ✔",
                "Namespace(step=8, max_step=100, loss='l1')",
                "{'iter': 8, 'max_iter': 100, 'lr': 0.1}",
                "[77/314080] process > align (618) ",
                "Receiving objects: 100% (1203/1203), done."
            })
    void ordinaryTextIsNoProgress(String line) {
        assertThat(read(line + "\n")).isEmpty();
    }

    @Test
    void ofABarThatIsDrawnOverTheLastStateCounts() {
        var bar = "\r  1%|          | 1/100 [00:01<01:39,  1.00it/s]";

        assertThat(read(bar + bar.replace(" 1/", " 7/")).orElseThrow().done()).isEqualTo(7);
        assertThat(read(bar + "\r  8%|▊     | 8/1").orElseThrow().done()).isEqualTo(1);
    }

    @Test
    void aCountThatIsNotPrintedToItsEndWaits() {
        var reader = new ProgressReader();

        assertThat(reader.read("epoch 3/1")).isEmpty();
        assertThat(reader.read("epoch 3/10\n").orElseThrow().total()).isEqualTo(10);
    }

    @Test
    void kerasCountsStepsWithinEpochs() {
        var progress =
                read("Epoch 3/10\n 45/100 [===>..........] - ETA: 11s - loss: 0.3\n").orElseThrow();

        assertThat(progress.done()).isEqualTo(245);
        assertThat(progress.total()).isEqualTo(1000);
        assertThat(progress.perSecond()).hasValue(5);
        assertThat(progress.timeLeft()).contains(Duration.ofSeconds(151));
    }

    @Test
    void keras3CountsStepsWithinEpochs() {
        var text =
                "Epoch 3/10\n"
                        + "\u001b[1m45/100\u001b[0m"
                        + " \u001b[32m━━━━━━━━━\u001b[0m\u001b[37m━━━━━━━━━━━\u001b[0m"
                        + " \u001b[1m11s\u001b[0m 200ms/step - loss: 0.3\n";

        var progress = read(text).orElseThrow();

        assertThat(progress.percent()).isEqualTo(24);
        assertThat(progress.timeLeft()).contains(Duration.ofSeconds(151));
    }

    @Test
    void aTimeLeftOnALineOfItsOwnBelongsToTheCountBeforeIt() {
        var bars =
                """
                     total [#########.........................................] 18.33%
                this epoch [####################..............................] 66.67%
                       550 iter, 18 epoch / 100 epochs
                    108.45 iters/sec. Estimated time to finish: 0:00:22.123456.
                """;
        var reader = new ProgressReader();

        assertThat(reader.read(bars).orElseThrow().timeLeft()).contains(Duration.ofSeconds(22));
        assertThat(reader.read("       551 iter, 19 epoch / 100 epochs\n").orElseThrow().timeLeft())
                .contains(Duration.ofSeconds(22));
        assertThat(reader.read("       552 iter, 20 epoch / 100 epochs\n").orElseThrow().timeLeft())
                .isEmpty();
    }

    @Test
    void anAnnouncedEpochIsNotDone() {
        var reader = new ProgressReader();
        var percents =
                List.of(
                        "Epoch 1/4\n",
                        " 5/10 [==>....] - ETA: 5s\n",
                        "10/10 [=======] - 10s 1s/step - loss: 1\n",
                        "Epoch 2/4\n",
                        " 5/10 [==>....] - ETA: 5s\n");

        assertThat(percents.stream().map(text -> reader.read(text).orElseThrow().percent()))
                .containsExactly(25, 12, 25, 25, 37);
    }

    @Test
    void aBarAfterTheResultOfAnEpochIsOfTheNext() {
        var reader = new ProgressReader();

        assertThat(reader.read("Epoch 3/10 loss 0.31\n").orElseThrow().percent()).isEqualTo(30);
        assertThat(reader.read("50%|█| 5/10 [00:05<00:05, 1.00it/s]\n").orElseThrow().percent())
                .isEqualTo(35);
    }

    @Test
    void theBarOfTheValidationDoesNotTurnBackTheEpoch() {
        var reader = new ProgressReader();
        reader.read("Epoch 3/10\n100%|█| 100/100 [00:10<00:00, 10.0it/s]\n");

        assertThat(reader.read("10%|█| 2/20 [00:01<00:09, 2.00it/s]\n").orElseThrow().percent())
                .isEqualTo(30);
        assertThat(reader.read("Validating: 10%|█| 9/20 [00:01<00:09, 2.0it/s]\n"))
                .map(Progress::percent)
                .contains(30);
    }

    @Test
    void epochsFromZeroAreUnderstood() {
        var reader = new ProgressReader();
        reader.read("Epoch 0/9: 100%|█| 10/10 [00:10<00:00, 1.00it/s]\n");

        var last = reader.read("Epoch 9/9:  50%|█| 5/10 [00:05<00:05, 1.00it/s]\n").orElseThrow();

        assertThat(last.percent()).isEqualTo(95);
        assertThat(read("Epoch 0/10\nEpoch 1/10\n").orElseThrow().percent()).isEqualTo(10);
        assertThat(read("Epoch 0/10 loss 1\nEpoch 1/10 loss 1\n").orElseThrow().percent())
                .isEqualTo(20);
    }

    @Test
    void ofNestedBarsTheOuterOneIsTold() {
        var reader = new ProgressReader();
        var outer = " 30%|███       | 3/10 [30:00<1:10:00, 600s/it]\n";
        var inner = " 50%|█████     | 50/100 [05:00<05:00, 0.17it/s]\r";

        var progress = reader.read(outer + inner.repeat(100)).orElseThrow();

        assertThat(progress.percent()).isEqualTo(30);
        assertThat(progress.timeLeft()).contains(Duration.ofMinutes(70));
        assertThat(reader.read(inner.replace("50/", "60/")).orElseThrow().percent()).isEqualTo(30);
    }

    @Test
    void aBarThatWasBrokenOffIsForgotten() {
        var reader = new ProgressReader();
        reader.read(" 50%|█████     | 5/10 [1:00:00<1:00:00, 720s/it]\n");
        var other = "100%|██████████| 9/9 [00:05<00:00, 2.00it/s]\n";

        reader.read(other.repeat(2));

        assertThat(reader.read(" 10%|█| 1/8 [00:01<00:07, 1.00it/s]\n").orElseThrow().total())
                .isEqualTo(8);
    }

    @Test
    void theTrainersEvaluationDoesNotHideTheTraining() {
        var text =
                """
                 30%|███       | 300/1000 [02:10<05:03,  2.31it/s]
                {'loss': 0.5, 'learning_rate': 5e-05, 'epoch': 1.5}
                  0%|          | 0/50 [00:00<?, ?it/s]
                 60%|██████    | 30/50 [00:10<00:06,  3.00it/s]
                """;

        var progress = read(text).orElseThrow();

        assertThat(progress.done()).isEqualTo(300);
        assertThat(progress.timeLeft()).contains(Duration.ofSeconds(303));
    }

    @Test
    void aListIsProgressOnceItIsClearlyWorkedOff() {
        assertThat(read("[1/12] cc a\n[2/12] cc b\n")).isEmpty();
        assertThat(read("[1/12] cc a\n[2/12] cc b\n[3/12] cc c\n").orElseThrow().percent())
                .isEqualTo(25);
        assertThat(read("[1/12] a\n[3/7] b\n[4/9] c\n[2/12] d\n")).isEmpty();
    }

    @Test
    void loadingIsToldOnlyWhileThereIsNothingElse() {
        var loading = "Loading checkpoint shards:  50%|█████     | 1/2 [00:04<00:04,  4.21s/it]\n";
        var work = " 10%|█         | 10/100 [00:01<00:09, 10.0it/s]\n";

        assertThat(read(loading).orElseThrow().percent()).isEqualTo(50);
        assertThat(read(loading + work + loading).orElseThrow().percent()).isEqualTo(10);
        assertThat(read(loading.replace("1/2", "2/2"))).isEmpty();
    }

    @Test
    void percentagesAreToldOnlyWhileThereIsNothingElse() {
        var text =
                "Progress: 80%\nReceiving objects:  90% (9/10)\n[Stage 3:==>   (31 + 8) / 100]\n";

        assertThat(read("step 3/10\n" + text).orElseThrow().percent()).isEqualTo(30);
        assertThat(read("Epoch 3/10\n" + text).orElseThrow().percent()).isEqualTo(30);
        assertThat(read(text).orElseThrow().percent()).isEqualTo(31);
    }

    @Test
    void anyCountThatMovesIsAnAdvance() {
        var reader = new ProgressReader();
        reader.read("Epoch 1/3\n 10%|█| 1/10 [00:01<00:09, 1.00it/s]\n");
        long before = reader.changeCount();

        reader.read(" 10%|█| 1/10 [00:01<00:09, 1.00it/s]\n");
        assertThat(reader.changeCount()).isEqualTo(before);
        reader.read("Validating: 10%|█| 9/20 [00:01<00:09, 2.0it/s]\n");
        assertThat(reader.changeCount()).isGreaterThan(before);
    }

    /** These print bars or counts; no progress must be found in the others. */
    @Test
    void ofTheHealthyLogsOnlyThoseWithBarsAndCountsHaveProgress() {
        var withProgress =
                Set.of(
                        "tqdm-training",
                        "lightning",
                        "keras",
                        "hf-trainer",
                        "imagenet-example",
                        "mnist-example",
                        "make-build",
                        "tensorflow-soft-allocator",
                        "yolo",
                        "handled-oom-then-gate",
                        "early-stop-code",
                        "harmless-command-missing",
                        "interrupted",
                        "fairseq-oom-recovered",
                        "torchrun-restarted");
        var found = new TreeSet<String>();
        for (var log : LogCorpus.healthy()) {
            read(log.text()).ifPresent(_ -> found.add(log.name()));
        }

        assertThat(found).containsExactlyInAnyOrderElementsOf(withProgress);
    }

    private static Optional<Progress> read(String text) {
        return new ProgressReader().read(text);
    }
}
