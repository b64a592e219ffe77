package dev.berth.app.live;

import java.nio.file.Path;

/** Lets a command end when the test says so. */
record Gate(Path file) {

    /** Runs until the gate is open. */
    String command() {
        return "until [[ -e " + file + " ]]; do sleep 0.02; done";
    }

    void open() {
        PipelineTest.touch(file);
    }
}
