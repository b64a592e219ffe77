package dev.berth.findings.diagnosis;

import java.util.List;
import java.util.function.IntFunction;

/** What loggers and launchers print before a line, by the number of the line. */
final class LogPrefixes {

    static final List<IntFunction<String>> ALL =
            List.of(
                    i -> "2024-01-02T" + clock(i) + "Z ",
                    i -> "[2024-01-02 " + clock(i) + "] ",
                    i -> "2024-01-02 " + clock(i) + ",678 - root - ERROR - ",
                    i -> "2024-01-02 " + clock(i) + ",678 - train - INFO - ",
                    i -> "2024-01-02 " + clock(i) + ".678 | ERROR    | train:main:12 - ",
                    i -> "[2024-01-02 " + clock(i) + ",678][train][ERROR] - ",
                    i -> clock(i) + " ",
                    i -> "ERROR:root:",
                    i -> "0: ",
                    i -> "[rank0]: ",
                    i -> "[default0]:",
                    i -> "[1,0]<stderr>:",
                    i -> "(RayTrainWorker pid=812, ip=10.0.0.7) ",
                    i -> "(pid=812) ",
                    i -> "E0102 " + clock(i) + ".678901 812 logging.cc:12] ",
                    i -> "2024-01-02T" + clock(i) + ".123456789Z stderr F ",
                    i -> "Jan  2 " + clock(i) + " node1 python[812]: ",
                    i -> "worker-1  | ",
                    i -> "\u001b[31m",
                    i -> "0: 2024-01-02 " + clock(i) + ",678 ERROR ");

    private LogPrefixes() {}

    private static String clock(int seconds) {
        return "03:" + twoDigits(4 + seconds / 60) + ":" + twoDigits(seconds % 60);
    }

    /** Much faster than a format, and called for each line of each log. */
    private static String twoDigits(int number) {
        return number < 10 ? "0" + number : Integer.toString(number);
    }
}
