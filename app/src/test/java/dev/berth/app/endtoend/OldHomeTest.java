package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.Script;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Homes of the older systems with command files, unchanged. */
@ExtendWith(ServerHarnessExtension.class)
final class OldHomeTest {

    @Test
    void theFilesOfTheCompetitionSchedulerAndItsCallsWorkAsTheyAre(ServerHarness harness)
            throws IOException {
        var work = harness.home().getParent();
        stubPython(harness);
        Script.write(
                work.resolve("run.sh"),
                "#!/bin/bash\necho run.sh $CUDA_VISIBLE_DEVICES >> files/ran\n");
        var command = Files.createDirectories(harness.home().resolve("command"));
        copy("command_gpu.txt", command.resolve("command_gpu.txt"));
        copy("command_gpus.txt", command.resolve("command_gpus_1.txt"));
        Files.createDirectories(harness.home().resolve("config"));
        Files.writeString(harness.home().resolve("config/gpu_manage.yaml"), "gpu_left: 1\n");
        Files.writeString(
                harness.home().resolve("config/control_setting.yaml"), "auto_port: true\n");
        harness.options("--gpus", "sim:4x49152", "--auth", "none");
        var api = harness.start();
        var lanes = new FileRunApi(harness);

        long single = start(api, "/api/scheduler/single/start?config_index=0");
        long multi = start(api, "/api/scheduler/multi/start?config_index=1");

        for (long pid : List.of(single, multi)) {
            eventually(
                    "run " + pid + " has finished",
                    () -> lanes.run(pid).path("status").asString().equals("finished"));
            assertThat(lanes.run(pid).path("failed").asInt()).isZero();
        }
        assertThat(Files.readAllLines(harness.file("ran")))
                .hasSize(3)
                .anyMatch(line -> line.matches("python script.py --arg1 value1 [012]"))
                .anyMatch(line -> line.matches("python script.py --arg1 value1 [0-3],[0-3]"))
                .anyMatch(line -> line.matches("run.sh [012]"));
        assertThat(harness.home().resolve("logs/scheduler_single_" + single + ".log"))
                .isNotEmptyFile();
        assertThat(harness.home().resolve("logs/state/" + single + ".json")).isNotEmptyFile();
        assertThat(harness.home().resolve("control/logs/console.log")).isNotEmptyFile();
    }

    @Test
    void aHomeWithOneFileAndItsConfigurationWorksAsItIs(ServerHarness harness) throws IOException {
        var work = harness.home().getParent();
        copy("command_bk.txt", harness.home().resolve("command_bk.txt"));
        Files.writeString(
                harness.home().resolve("config.yaml"),
                """
                # 调度配置
                check_time: 5  # 调度间隔（秒）
                maximize_resource_utilization: false  # 极限利用资源模式

                # GPU 配置
                compete_gpus: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]  # 手动指定的 GPU 列表
                use_all_gpus: true  # 是否自动探测所有 GPU
                gpu_left: 1  # 剩余几张卡给其他用户

                # 重试配置
                retry_config:
                  max_retry_before_backoff: 3  # 每 3 次重试后进入退避
                  backoff_duration: 600         # 退避时间 10 分钟

                work_dir: null  # 默认：脚本父目录
                commands_path: command_bk.txt
                """);
        var scripts = Files.createDirectories(work.resolve("scripts"));
        for (var name : List.of("set_hyperparameters.sh", "run_pipeline.sh")) {
            Script.write(
                    scripts.resolve(name),
                    "#!/bin/bash\necho \"${0##*/} $*\" >> \"" + harness.file("ran") + "\"\n");
        }
        for (var name : List.of("car196", "flower102")) {
            Files.createDirectories(work.resolve("experiments/" + name + "/knowledge_base/old"));
        }
        harness.start();
        var lanes = new FileRunApi(harness);

        long pid = lanes.start("single");

        eventually(
                "it has finished",
                () -> lanes.run(pid).path("status").asString().equals("finished"));
        assertThat(lanes.run(pid).path("completed").asInt()).isEqualTo(2);
        var ran = Files.readAllLines(harness.file("ran"));
        assertThat(ran)
                .hasSize(4)
                .contains("set_hyperparameters.sh --experience_number 8")
                .anyMatch(line -> line.matches("run_pipeline.sh car --uni_id [a-z0-9]+_0"))
                .anyMatch(line -> line.matches("run_pipeline.sh flower --uni_id [a-z0-9]+_0"));
        assertThat(work.resolve("experiments/car196/knowledge_base")).doesNotExist();
        eventually(
                "both tries stand in uni_id.json",
                () -> {
                    var file = harness.home().resolve("logs/uni_id.json");
                    return Files.exists(file)
                            && Files.readString(file).split("normal_exit", -1).length == 3;
                });
    }

    private static long start(TestApi api, String path) {
        return api.client()
                .send(new TestClient.TestRequest("POST", path, Map.of(), ""))
                .expect(200)
                .path("pid")
                .asLong();
    }

    private static void stubPython(ServerHarness harness) throws IOException {
        var bin = Files.createDirectories(harness.file("bin"));
        Script.write(
                bin.resolve("python"),
                "#!/bin/bash\necho \"python $* $CUDA_VISIBLE_DEVICES\" >> \""
                        + harness.file("ran")
                        + "\"\n");
        harness.env("BERTH_EXTRA_PATH", bin.toString());
    }

    private static void copy(String name, Path to) throws IOException {
        try (var from = OldHomeTest.class.getResourceAsStream("/lane/" + name)) {
            Files.copy(from, to);
        }
    }
}
