package dev.berth.cli.command;

import dev.berth.wire.RunState;

/** How somebody is shown that a run goes on. */
interface RunView {

    /** Where it stands now; called whenever that may have changed. */
    void show(RunState now);
}
