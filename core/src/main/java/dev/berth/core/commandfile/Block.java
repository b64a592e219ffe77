package dev.berth.core.commandfile;

import dev.berth.core.task.Need;

import java.util.List;

/**
 * One task of a command file.
 *
 * @param line first line in the file, counted from 1
 * @param commands run in this order in one attempt
 * @param memoryMib memory that must be free on each GPU; 0 means no requirement
 */
public record Block(
        int line, int queue, List<String> commands, long memoryMib, Need.GpuCount gpuCount) {

    public Block {
        commands = List.copyOf(commands);
        if (queue < 0 || memoryMib < 0 || commands.isEmpty()) {
            throw new IllegalArgumentException(
                    "a block has a queue and a memory of 0 or more and at least one command");
        }
    }

    /** The memory in GB as in a file: 20, 20.5. */
    public String memoryGb() {
        return NumberLiteral.formatGb(memoryMib);
    }

    /** Leaves the commands out: they are the owner's secret and must not appear in a log. */
    @Override
    public String toString() {
        return "Block[line "
                + line
                + ", queue "
                + queue
                + ", "
                + memoryMib
                + " MiB, "
                + gpuCount
                + "]";
    }
}
