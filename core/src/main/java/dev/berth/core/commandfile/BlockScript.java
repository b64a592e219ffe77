package dev.berth.core.commandfile;

import dev.berth.core.task.Script;

/** The shell script of a task of a command file. */
public final class BlockScript {

    private BlockScript() {}

    /**
     * The commands one per line, with the variables replaced; the script ends at the first command
     * that fails.
     *
     * @param uniId of the task
     */
    public static String of(Script.Text commands, String uniId) {
        var script = new StringBuilder();
        for (var command : commands.command().split("\n", -1)) {
            var filled = CommandFile.withVariables(command, commands.workDir(), uniId);
            // The braces are on separate lines, so that a trailing comment does not hide them.
            // No "||" after them: the shell would ignore a "set -e" inside the command.
            script.append("{\n").append(filled).append("\n}\ncase $? in 0) ;; *) exit ;; esac\n");
        }
        return script.toString();
    }
}
