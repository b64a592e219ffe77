package dev.berth.app.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What the cores have done since the machine started, in ticks of the kernel. Response times mean
 * little without it: on a machine that others use as well, requests wait for a core.
 *
 * @param total of all cores
 * @param server of the server
 * @param client of this process
 */
record CpuTime(long total, long idle, long server, long client) {

    private static final int IDLE = 3;
    private static final int WAITING_FOR_DISK = 4;

    /** The columns after these repeat times of guests. */
    private static final int COLUMNS = 8;

    static CpuTime read(long server) throws IOException {
        var cores = Files.readString(Path.of("/proc/stat")).lines().findFirst().orElseThrow();
        long[] ticks =
                Arrays.stream(cores.substring("cpu".length()).strip().split(" +"))
                        .limit(COLUMNS)
                        .mapToLong(Long::parseLong)
                        .toArray();
        return new CpuTime(
                Arrays.stream(ticks).sum(),
                ticks[IDLE] + ticks[WAITING_FOR_DISK],
                process(server),
                process(ProcessHandle.current().pid()));
    }

    /** User and system time of all threads. The name before them may contain spaces. */
    private static long process(long pid) throws IOException {
        var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    String since(CpuTime before) {
        double all = (total - before.total) / 100.0;
        long ours = server - before.server + client - before.client;
        long others = total - before.total - (idle - before.idle) - ours;
        return "of all cores the server took %.0f %%, this test %.0f %%, other programs and the kernel %.0f %%"
                .formatted(
                        (server - before.server) / all,
                        (client - before.client) / all,
                        others / all);
    }
}
