package dev.berth.app.endtoend;

import java.nio.file.Path;

/** Lets the test decide when a command ends. */
record CommandGate(Path file) {

    /** Runs until the gate is open. */
    String command() {
        return "until [[ -e " + file + " ]]; do sleep 0.02; done";
    }

    void open() {
        TaskLifecycleTest.touch(file);
    }
}
