package dev.berth.findings.diagnosis;

import java.util.Map;
import java.util.regex.Pattern;

/** Messages of the C library and of bash in Chinese, so that the rules need only the English. */
final class ChineseMessages {

    private static final Map<String, String> ENGLISH =
            Map.ofEntries(
                    Map.entry("已杀死", "Killed"),
                    Map.entry("段错误", "Segmentation fault"),
                    Map.entry("总线错误", "Bus error"),
                    Map.entry("已放弃", "Aborted"),
                    Map.entry("已中止", "Aborted"),
                    Map.entry("浮点数例外", "Floating point exception"),
                    Map.entry("非法指令", "Illegal instruction"),
                    Map.entry("（核心已转储）", " (core dumped)"),
                    Map.entry("(核心已转储)", "(core dumped)"),
                    Map.entry("(吐核)", "(core dumped)"),
                    Map.entry("未找到命令", "command not found"),
                    Map.entry("没有那个文件或目录", "No such file or directory"),
                    Map.entry("权限不够", "Permission denied"),
                    Map.entry("只读文件系统", "Read-only file system"),
                    Map.entry("设备上没有空间", "No space left on device"),
                    Map.entry("超出磁盘限额", "Disk quota exceeded"),
                    Map.entry("无法分配内存", "Cannot allocate memory"),
                    Map.entry("地址已在使用", "Address already in use"));

    private static final Pattern MESSAGE =
            Pattern.compile(
                    String.join("|", ENGLISH.keySet().stream().map(Pattern::quote).toList()));

    /** {@code run.sh: 行 8: }, also with a colon of full width. */
    private static final Pattern LINE =
            Pattern.compile("(?:(?<=[:：]) ?|^)(?:行|第) ?(\\d{1,6}) ?行?[:：] ?");

    private static final char FIRST_CHINESE = '\u2e80';

    private ChineseMessages() {}

    static String translate(String text) {
        if (text.chars().noneMatch(one -> one >= FIRST_CHINESE)) {
            return text;
        }
        var message = MESSAGE.matcher(text);
        if (!message.find()) {
            return text;
        }
        var english = message.replaceAll(found -> ENGLISH.get(found.group()));
        return LINE.matcher(english).replaceFirst(" line $1: ").replace("：", ": ").stripLeading();
    }
}
