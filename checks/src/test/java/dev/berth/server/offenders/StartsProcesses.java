package dev.berth.server.offenders;

import java.io.IOException;

/** Each starts or signals a process outside node. */
public final class StartsProcesses {
    private StartsProcesses() {}

    record ByBuilder() {
        Process start() throws IOException {
            return new ProcessBuilder("true").start();
        }
    }

    record ByRuntime() {
        Process start() throws IOException {
            return Runtime.getRuntime().exec(new String[] {"true"});
        }
    }

    record BySignal(ProcessHandle process) {
        boolean end() {
            return process.destroyForcibly();
        }
    }

    record ByEnding(Process process) {
        void end() {
            process.destroy();
        }
    }
}
