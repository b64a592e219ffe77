package dev.berth.server.message;

import dev.berth.core.diagnosis.Cause;
import dev.berth.engine.port.Event;
import dev.berth.server.alert.Language;

/** The words of messages. */
record Phrases(Language language) {

    String of(String chinese, String english) {
        return language.choose(chinese, english);
    }

    /** What became of a task. */
    String outcome(Event.Kind kind) {
        return switch (Topic.of(kind).orElseThrow()) {
            case TASK_COMPLETED -> of("完成", "completed");
            case TASK_FAILED -> of("失败", "failed");
            case TASK_CANCELLED -> of("已取消", "cancelled");
            case TASK_RETRIED -> of("失败, 将重试", "failed and is tried again");
            case ALERT, LONG_WAIT, STALLED ->
                    throw new IllegalArgumentException("nothing became of a task: " + kind);
        };
    }

    String cause(Cause cause) {
        return switch (cause) {
            case OOM -> of("显存不足", "out of GPU memory");
            case HOST_OOM -> of("主机内存不足", "out of host memory");
            case CUDA -> of("CUDA 错误", "an error of the program on its GPU");
            case GPU_HARDWARE -> of("GPU 硬件故障", "the GPU itself");
            case DRIVER -> of("驱动不匹配", "driver and program do not go together");
            case NCCL -> of("NCCL 通信失败", "NCCL");
            case MODULE_MISSING -> of("缺少模块", "a module is missing");
            case CONDA -> of("conda 环境问题", "the conda environment");
            case COMMAND_MISSING -> of("找不到命令", "a command is missing");
            case FILE_MISSING -> of("找不到文件", "a file is missing");
            case PERMISSION -> of("没有权限", "a permission is missing");
            case DISK_FULL -> of("磁盘已满", "the disk is full");
            case PACKAGES -> of("依赖包问题", "packages do not go together");
            case PORT_IN_USE -> of("端口被占用", "a port is taken");
            case NETWORK -> of("网络问题", "the network");
            case ARGUMENTS -> of("参数错误", "wrong arguments");
            case SEGFAULT -> of("段错误", "a segmentation fault");
            case TRACEBACK -> of("程序异常", "an exception");
        };
    }
}
