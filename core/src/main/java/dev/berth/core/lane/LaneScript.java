package dev.berth.core.lane;

import dev.berth.core.task.Task;

/** What the shell is given for a task of a command file. */
public final class LaneScript {

    private LaneScript() {}

    /**
     * The commands, one to a line, with the placeholders filled; the first that fails is the last
     * that runs.
     */
    public static String of(Task task) {
        var script = new StringBuilder();
        for (var command : task.spec().command().split("\n", -1)) {
            var filled = CommandFile.filled(command, task.spec().workDir(), task.uniId());
            // In braces on lines of their own, so that a comment at its end hides nothing; and not
            // before ||, where the shell would forget a set -e of the command's own.
            script.append("{\n").append(filled).append("\n}\ncase $? in 0) ;; *) exit ;; esac\n");
        }
        return script.toString();
    }
}
