package dev.berth.core.lane;

import dev.berth.core.task.Need;

import java.util.List;

/**
 * One task of a command file.
 *
 * @param line where it begins in the file, counted from 1
 * @param commands run in this order in one attempt
 * @param memoryMib what must be free on each card; 0 asks for none in particular
 */
public record Block(int line, int queue, List<String> commands, long memoryMib, Need.Count count) {

    public Block {
        commands = List.copyOf(commands);
        if (queue < 0 || memoryMib < 0 || commands.isEmpty()) {
            throw new IllegalArgumentException(
                    "a block has a queue and a memory of 0 or more and at least one command");
        }
    }

    /** The memory in GB as people write it: 20, 20.5. */
    public String gigabytes() {
        return Figure.gigabytes(memoryMib);
    }

    /** The commands are their owner's secret: this is what a log line may say. */
    @Override
    public String toString() {
        return "Block[line "
                + line
                + ", queue "
                + queue
                + ", "
                + memoryMib
                + " MiB, "
                + count
                + "]";
    }
}
