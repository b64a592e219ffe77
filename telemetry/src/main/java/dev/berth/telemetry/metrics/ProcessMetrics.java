package dev.berth.telemetry.metrics;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Metrics of the server process, with the names of the Prometheus client libraries. */
final class ProcessMetrics {

    private static final Logger log = LoggerFactory.getLogger(ProcessMetrics.class);

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";

    private ProcessMetrics() {}

    static void write(PrometheusText out) {
        var info = ProcessHandle.current().info();
        var memory = out.gauge("process_resident_memory_bytes", "Memory of the server's process.");
        residentBytes().ifPresent(memory::add);
        var cpu = out.counter("process_cpu_seconds_total", "CPU time of the server's process.");
        info.totalCpuDuration().ifPresent(time -> cpu.add(time.toMillis() / 1e3));
        var start = out.gauge("process_start_time_seconds", "Start time of the server's process.");
        info.startInstant().ifPresent(at -> start.add(at.toEpochMilli() / 1e3));
    }

    private static OptionalLong residentBytes() {
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(RESIDENT))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst();
        } catch (IOException e) {
            log.debug("the server's memory cannot be read: {}", e.toString());
            return OptionalLong.empty();
        }
    }
}
