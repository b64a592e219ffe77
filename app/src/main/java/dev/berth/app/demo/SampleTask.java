package dev.berth.app.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A sample task.
 *
 * @param script prints the output of a typical program and sleeps in between
 */
record SampleTask(String name, Needs needs, String script) {

    /**
     * The owner and the needs of a sample task.
     *
     * @param gpuCount 0 for a CPU task
     * @param extraFields further fields of the request
     */
    record Needs(String owner, int gpuCount, int memoryGb, Map<String, Object> extraFields) {
        Needs(String owner, int gpuCount, int memoryGb) {
            this(owner, gpuCount, memoryGb, Map.of());
        }
    }

    private static final Map<String, Object> SHARING = Map.of("share", true);
    private static final Map<String, Object> URGENT =
            Map.of("priority", "HIGH", "timeout_seconds", 7200);

    private static final String TRAINING =
            """
            printf '\\033[1mloading ImageNet subset\\033[0m: 51200 images\\n'; sleep 1
            for epoch in 1 2 3 4 5 6; do
              for step in 10 20 30 40 50 60 70 80 90 100; do
                bar=$(printf '%*s' $((step / 5)) '' | tr ' ' '#')
                printf '\\repoch %d/6 %3d%%|%-20s| %d/100 [00:%02d<00:%02d]' $epoch $step "$bar" $step $((step / 10)) $((10 - step / 10))
                sleep 0.9
              done
              printf '\\nepoch %d/6  loss \\033[33m%s\\033[0m  top-1 \\033[32m%s %%\\033[0m\\n' $epoch "$((28 - 3 * epoch)).$((RANDOM % 90 + 10))e-1" "$((50 + 6 * epoch)).$((RANDOM % 90 + 10))"
            done
            echo 'checkpoint written to runs/latest.pt'
            """;

    private static final String FINE_TUNING =
            """
            echo 'world size 2, bf16, gradient checkpointing on'; sleep 2
            for step in $(seq 1 45); do
              printf '{"step": %d, "of": 45, "loss": 1.%02d, "tokens/s": %d}\\n' $step $((98 - 2 * step)) $((11800 + RANDOM % 400))
              sleep 2
            done
            """;

    private static final String SWEEP =
            """
            echo "trial: lr=$LR, seed=$RANDOM"
            for i in $(seq 1 20); do echo "iter $i/20 val_acc 0.$((700 + 12 * i))"; sleep 1.5; done
            """;

    private static final String TOKENIZING =
            """
            for shard in $(seq 0 15); do printf 'shard %02d: %d documents tokenized\\n' $shard $((80000 + RANDOM)); sleep 1; done
            """;

    private static final String EVALUATION =
            """
            for subject in algebra anatomy astronomy ethics clinical_knowledge; do
              echo "$subject: $((55 + RANDOM % 30)).$((RANDOM % 10)) %"; sleep 3
            done
            printf '\\033[32mdone\\033[0m: report in eval/latest.md\\n'
            """;

    private static final String OUT_OF_MEMORY =
            """
            echo 'sampling 1024x1024, batch 8'; sleep 6
            echo 'Traceback (most recent call last):' >&2
            echo '  File "sample.py", line 88, in <module>' >&2
            echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.50 GiB. GPU 0 has a total capacity of 39.39 GiB of which 7.81 GiB is free.' >&2
            exit 1
            """;

    private static final String MISSING_MODULE =
            """
            echo 'Traceback (most recent call last):' >&2
            echo '  File "train.py", line 3, in <module>' >&2
            echo "ModuleNotFoundError: No module named 'einops'" >&2
            exit 1
            """;

    private static final String PRETRAINING =
            """
            echo 'pre-training on 3 GPUs'; for i in $(seq 1 30); do echo "step $i/30 loss 3.$((99 - 2 * i))"; sleep 2; done
            """;

    static final List<SampleTask> ALL =
            List.of(
                    new SampleTask("resnet50-imagenet", new Needs("alice", 1, 16), TRAINING),
                    new SampleTask("微调-7b-医疗问答", new Needs("wangfang", 2, 30), FINE_TUNING),
                    new SampleTask("tokenize-corpus", new Needs("bob", 0, 0), TOKENIZING),
                    sweep("3e-4"),
                    new SampleTask("train-baseline", new Needs("carol", 1, 12), MISSING_MODULE),
                    sweep("1e-4"),
                    new SampleTask("mmlu-eval", new Needs("alice", 1, 20, URGENT), EVALUATION),
                    new SampleTask(
                            "diffusion-xl-sample", new Needs("dmitri", 1, 36), OUT_OF_MEMORY),
                    new SampleTask("pretrain-mini", new Needs("wangfang", 3, 24), PRETRAINING),
                    sweep("3e-5"));

    /** A task that its owner has not queued yet. */
    static final SampleTask DRAFT =
            new SampleTask(
                    "llama-70b-lora",
                    new Needs("carol", 2, 38, Map.of("draft", true)),
                    FINE_TUNING);

    /** A command file with two lanes; one of the tasks fails on its first attempt. */
    static final String COMMAND_FILE =
            """
            # 夜间任务 / a night's work: queue, commands, memory in GB
            1
            echo pre-train on GPU $CUDA_VISIBLE_DEVICES; for i in $(seq 12); do echo "step $i/12"; sleep 1.5; done
            12

            1
            echo "evaluate as {uni_id}"; for i in $(seq 8); do echo "batch $i/8"; sleep 1; done
            8

            # the first try of this one fails
            2
            echo fetch the labels; sleep 4
            test -e labels.ok || { touch labels.ok; echo 'ConnectionError: label server timed out' >&2; exit 1; }
            rm labels.ok; echo 'labels are there'; sleep 6
            10

            2
            for i in $(seq 10); do echo "distill $i/10"; sleep 1.5; done
            10
            """;

    private static SampleTask sweep(String rate) {
        return new SampleTask(
                "sweep-lr-" + rate, new Needs("bob", 1, 8, SHARING), "LR=" + rate + "\n" + SWEEP);
    }

    /** The fields of the API request. */
    Map<String, Object> fields(String workDir) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("name", name);
        fields.put("owner", needs.owner());
        fields.put("command", script);
        fields.put("work_dir", workDir);
        fields.put("gpu_count", needs.gpuCount());
        if (needs.gpuCount() == 0) {
            fields.put("devices", "cpu");
        } else {
            fields.put("memory_gb", needs.memoryGb());
        }
        fields.putAll(needs.extraFields());
        return fields;
    }
}
