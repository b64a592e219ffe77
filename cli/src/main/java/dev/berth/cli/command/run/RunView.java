package dev.berth.cli.command.run;

import dev.berth.wire.RunState;

/** Displays the progress of a run. */
interface RunView {

    /** The current state; called whenever it may have changed. */
    void show(RunState now);
}
