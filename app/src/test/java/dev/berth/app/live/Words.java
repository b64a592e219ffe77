package dev.berth.app.live;

import java.util.List;

/**
 * What a person reads in the console.
 *
 * @param cards free, busy
 * @param states queued, running, completed, failed, cancelled
 * @param buttons cancel, clone, back, refresh the log, refresh the cards, reset
 */
record Words(
        String tag,
        List<String> views,
        List<String> cards,
        List<String> states,
        List<String> columns,
        List<String> buttons) {

    static final Words CHINESE =
            new Words(
                    "zh-CN",
                    List.of("GPU 状态", "任务列表", "新建任务"),
                    List.of("空闲", "占用"),
                    List.of("排队中", "执行中", "已完成", "失败", "已中断"),
                    List.of("ID", "名称", "状态", "GPU 类型", "GPU 数量", "创建时间", "详情"),
                    List.of("中断任务", "复制任务", "返回列表", "刷新日志", "手动刷新", "重置"));

    static final Words ENGLISH =
            new Words(
                    "en",
                    List.of("GPU status", "Tasks", "New task"),
                    List.of("Free", "In use"),
                    List.of("Queued", "Running", "Completed", "Failed", "Cancelled"),
                    List.of("ID", "Name", "Status", "GPU type", "GPUs", "Created", "Details"),
                    List.of(
                            "Cancel task",
                            "Clone task",
                            "Back to list",
                            "Refresh log",
                            "Refresh",
                            "Reset"));

    static List<Words> all() {
        return List.of(CHINESE, ENGLISH);
    }

    @Override
    public String toString() {
        return tag;
    }
}
