package dev.berth.server.alert;

import static dev.berth.server.alert.AlertLevel.CRITICAL;
import static dev.berth.server.alert.AlertLevel.INFO;
import static dev.berth.server.alert.AlertLevel.WARNING;

import dev.berth.engine.port.Event;

/** How bad an alert is and what it says; names in braces stand for what the event knows. */
record Wording(AlertLevel level, String chinese, String english) {

    static Wording of(Event.Kind kind) {
        return switch (kind) {
            case ALERT_GPU_ERROR ->
                    new Wording(
                            CRITICAL, "GPU {gpu_id} 发生错误: {error}", "GPU {gpu_id} failed: {error}");
            case ALERT_GPU_UNRECOVERABLE ->
                    new Wording(
                            CRITICAL,
                            "GPU {gpu_id} 未能恢复: {error}",
                            "GPU {gpu_id} did not recover: {error}");
            case ALERT_GPUS_UNREADABLE ->
                    new Wording(
                            CRITICAL,
                            "{node} 的 GPU 全部无法读取: {why}",
                            "No GPU of {node} can be read: {why}");
            case ALERT_DISK_LOW ->
                    new Wording(
                            CRITICAL,
                            "{node} 磁盘空间不足, 剩余 {free_mib} MiB, 暂停启动新任务",
                            "Disk space is low on {node}: {free_mib} MiB are left, no more tasks"
                                    + " start");
            case ALERT_GPU_UNREADABLE ->
                    new Wording(
                            WARNING,
                            "GPU {gpu_id} 无法读取: {why}",
                            "GPU {gpu_id} cannot be read: {why}");
            case ALERT_GPU_UNPROVEN ->
                    new Wording(
                            WARNING,
                            "无法确认任务 {task} 已离开 GPU {gpus}, 该卡已重新分配",
                            "Nobody could see that task {task} is off GPU {gpus}; it is given on");
            case ALERT_PROCESSES_LEFT ->
                    new Wording(
                            WARNING,
                            "任务 {task} 结束后留下进程: {processes}",
                            "Task {task} left processes behind: {processes}");
            case ALERT_LONG_WAIT ->
                    new Wording(
                            WARNING,
                            "{tasks} 个任务等待超过 {limit}, 最久的是任务 {task} ({name})",
                            "{tasks} tasks have waited longer than {limit}, longest of all task"
                                    + " {task} ({name})");
            case ALERT_STALLED ->
                    new Wording(
                            WARNING,
                            "任务 {task} ({name}) 已 {minutes} 分钟没有进展",
                            "Task {task} ({name}) has come no further for {minutes} minutes");
            case ALERT_MESSAGE_UNDELIVERED ->
                    new Wording(
                            WARNING,
                            "消息无法送达 {receiver}: {why}",
                            "Messages do not reach {receiver}: {why}");
            case ALERT_GPU_RETURNED ->
                    new Wording(INFO, "GPU {gpu_id} 已恢复", "GPU {gpu_id} is back");
            case ALERT_GPU_QUARANTINED ->
                    new Wording(
                            INFO,
                            "{actor} 停用了 GPU {gpu_id}: {reason}",
                            "{actor} took GPU {gpu_id} out: {reason}");
            case ALERT_GPU_HANDED_BACK ->
                    new Wording(
                            INFO, "{actor} 重新启用了 GPU {gpu_id}", "{actor} handed GPU {gpu_id} back");
            case ALERT_GPUS_READABLE ->
                    new Wording(INFO, "{node} 的 GPU 恢复可读", "The GPUs of {node} can be read again");
            case ALERT_GPU_READABLE ->
                    new Wording(INFO, "GPU {gpu_id} 恢复可读", "GPU {gpu_id} can be read again");
            case ALERT_DISK_RECOVERED ->
                    new Wording(
                            INFO,
                            "{node} 磁盘空间已恢复, 剩余 {free_mib} MiB",
                            "There is disk space again on {node}: {free_mib} MiB");
            case SERVER_STARTED,
                    TASK_SUBMITTED,
                    TASK_DRAFTED,
                    TASK_QUEUED,
                    TASK_CHANGED,
                    TASK_REQUEUED,
                    TASK_RETRIED,
                    TASK_COMPLETED,
                    TASK_FAILED,
                    TASK_CANCELLED,
                    ATTEMPT_GRANTED,
                    ATTEMPT_STARTED,
                    ATTEMPT_ADOPTED,
                    ATTEMPT_STOPPING,
                    ATTEMPT_LOST,
                    ATTEMPT_STUCK,
                    ATTEMPT_SAID,
                    ATTEMPT_ENDED,
                    RUN_STARTED,
                    RUN_STOPPING,
                    RUN_ENDED,
                    RULES_CHANGED,
                    ESTIMATE_RAISED,
                    SCHEDULER_STARTED,
                    SCHEDULER_STOPPED,
                    TOKEN_CREATED,
                    TOKEN_REVOKED ->
                    throw new IllegalArgumentException("no alert: " + kind);
        };
    }
}
