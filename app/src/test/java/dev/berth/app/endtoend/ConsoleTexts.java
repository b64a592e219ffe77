package dev.berth.app.endtoend;

import java.util.List;

/**
 * The texts that a user reads in the console.
 *
 * @param gpus free, busy
 * @param states queued, running, completed, failed, cancelled
 * @param buttons cancel, clone, back, refresh the log, refresh the GPUs, reset
 */
record ConsoleTexts(
        String tag,
        List<String> views,
        List<String> gpus,
        List<String> states,
        List<String> columns,
        List<String> buttons) {

    static final ConsoleTexts CHINESE =
            new ConsoleTexts(
                    "zh-CN",
                    List.of("GPU 状态", "任务列表", "新建任务"),
                    List.of("空闲", "占用"),
                    List.of("排队中", "执行中", "已完成", "失败", "已中断"),
                    List.of(
                            "ID", "名称", "状态", "GPU 类型", "GPU 数量", "显存", "所在 GPU", "用户", "创建时间",
                            "详情"),
                    List.of("中断任务", "复制任务", "返回列表", "刷新日志", "手动刷新", "重置"));

    static final ConsoleTexts ENGLISH =
            new ConsoleTexts(
                    "en",
                    List.of("GPU status", "Tasks", "New task"),
                    List.of("Free", "In use"),
                    List.of("Queued", "Running", "Completed", "Failed", "Cancelled"),
                    List.of(
                            "ID",
                            "Name",
                            "Status",
                            "GPU type",
                            "GPUs",
                            "Memory",
                            "Runs on",
                            "Owner",
                            "Created",
                            "Details"),
                    List.of(
                            "Cancel task",
                            "Clone task",
                            "Back to list",
                            "Refresh log",
                            "Refresh",
                            "Reset"));

    static List<ConsoleTexts> all() {
        return List.of(CHINESE, ENGLISH);
    }

    @Override
    public String toString() {
        return tag;
    }
}
