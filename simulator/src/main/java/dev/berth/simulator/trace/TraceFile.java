package dev.berth.simulator.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads a trace: one job per row. */
public final class TraceFile {

    /** About 30 years. The sums of a million such times stay below the largest long. */
    private static final long MOST_SECONDS = 1_000_000_000;

    private static final int MOST_GPUS = 1_000_000;
    private static final long MOST_CORES = 1_000_000;
    private static final long MOST_MIB = 1L << 40;

    private final List<RowFilter> filters;
    private final List<Job> jobs = new ArrayList<>();
    private final Set<String> ids = new HashSet<>();

    private TraceFile(List<RowFilter> filters) {
        this.filters = List.copyOf(filters);
    }

    /**
     * The jobs in the order of the file.
     *
     * @param filters a row must pass all of them
     * @throws InvalidInput a row cannot be read; names line and column
     */
    public static List<Job> read(Path file, List<RowFilter> filters)
            throws IOException, InvalidInput {
        var trace = new TraceFile(filters);
        CsvTable.read(file, trace::add);
        return trace.jobs;
    }

    private void add(CsvRow row) throws InvalidInput {
        var id = row.required("job_id");
        if (!ids.add(id)) {
            throw row.problem("job_id", "there is a second job " + id);
        }
        if (passes(row)) {
            jobs.add(
                    new Job(
                            jobs.size(),
                            id,
                            row.text("user"),
                            row.text("vc_or_group"),
                            row.whole("submit_s", 0, MOST_SECONDS),
                            row.whole("duration_s", 1, MOST_SECONDS),
                            need(row)));
        }
    }

    private boolean passes(CsvRow row) throws InvalidInput {
        for (var filter : filters) {
            if (!row.has(filter.column())) {
                throw new InvalidInput("the trace has no column " + filter.column());
            }
            if (!row.text(filter.column()).equals(filter.value())) {
                return false;
            }
        }
        return true;
    }

    private static JobNeed need(CsvRow row) throws InvalidInput {
        int gpus = (int) row.whole("gpu_num", 0, MOST_GPUS);
        var milli = row.text("gpu_milli");
        int share =
                gpus == 1 && !milli.isEmpty()
                        ? (int) row.whole("gpu_milli", 1, JobNeed.WHOLE)
                        : JobNeed.WHOLE;
        var types = row.text("gpu_type");
        return new JobNeed(
                gpus,
                share,
                row.thousandths("cpu", MOST_CORES),
                row.wholeOrZero("mem_mb", MOST_MIB),
                types.isEmpty() ? List.of() : List.of(types.split("\\|")));
    }
}
