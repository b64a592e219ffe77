package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuProcess;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the GPUs with {@code nvidia-smi}: one query for the GPUs and one for their processes,
 * because one call answers only one of the two.
 */
final class SmiProbe implements GpuProbe {

    private static final Logger log = LoggerFactory.getLogger(SmiProbe.class);

    private final Path program;
    private final SmiProgram smi;
    private boolean hasWarned;

    SmiProbe(Path program) {
        this.program = program;
        this.smi = new SmiProgram(program);
    }

    @Override
    public List<ProbedGpu> read() throws ProbeFailure {
        var gpus = SmiParser.gpus(smi.query("--query-gpu=" + SmiParser.GPU_FIELDS));
        var processes = processes();
        var rows = new ArrayList<ProbedGpu>();
        for (var gpu : gpus) {
            var ofGpu = processes.map(all -> all.getOrDefault(gpu.uuid(), List.of()));
            rows.add(gpu.with(ofGpu));
        }
        return rows;
    }

    /** A driver that cannot list processes can still report the memory in use. */
    private Optional<Map<String, List<GpuProcess>>> processes() {
        try {
            var all =
                    SmiParser.processes(
                            smi.query("--query-compute-apps=" + SmiParser.PROCESS_FIELDS));
            hasWarned = false;
            return Optional.of(all);
        } catch (ProbeFailure failure) {
            if (!hasWarned) {
                log.warn("the processes on the GPUs cannot be read: {}", failure.why());
                hasWarned = true;
            }
            return Optional.empty();
        }
    }

    @Override
    public boolean isImmediate() {
        return false;
    }

    @Override
    public HealthProbe health() {
        return new SmiHealth(new SmiProgram(program));
    }

    @Override
    public String name() {
        return "nvidia-smi";
    }

    @Override
    public void close() {
        smi.close();
    }
}
