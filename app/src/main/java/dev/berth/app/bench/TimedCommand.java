package dev.berth.app.bench;

import dev.berth.cli.call.CommandFailure;
import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * One run of a program, measured from outside.
 *
 * @param seconds from its start to its end
 * @param peakMib the most memory it had at a time; 0 if it was too short to be seen
 */
record TimedCommand(double seconds, long peakMib) {

    /** Reading the memory more often would take time from the program. */
    private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();

    /**
     * @param output gets the output of the program, and is replaced
     */
    static TimedCommand run(List<String> command, Path output) throws IOException {
        Files.deleteIfExists(output);
        long begin = System.nanoTime();
        long pid =
                Spawner.forThisHost()
                        .spawn(new Spawner.SpawnRequest(command, output, Optional.empty()))
                        .pid();
        long peakKib = 0;
        while (true) {
            switch (ChildProcess.reap(pid).orElseThrow()) {
                case ChildProcess.Status.Running _ -> {
                    peakKib = Math.max(peakKib, peakKib(pid));
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
                case ChildProcess.Status.Exited(int code) -> {
                    if (code != 0) {
                        throw new CommandFailure(command + " exited with code " + code);
                    }
                    return new TimedCommand((System.nanoTime() - begin) / 1e9, peakKib / 1024);
                }
                case ChildProcess.Status.Signalled(int signal) ->
                        throw new CommandFailure(command + " was ended by signal " + signal);
            }
        }
    }

    private static long peakKib(long pid) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
        } catch (IOException ended) {
            return 0;
        }
    }
}
