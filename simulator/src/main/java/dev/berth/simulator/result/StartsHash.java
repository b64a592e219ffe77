package dev.berth.simulator.result;

import dev.berth.simulator.replay.ScheduledJob;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** SHA-256 of all starts: equal hashes mean equal start times of every job. */
public final class StartsHash {

    private StartsHash() {}

    /**
     * @param jobs in the order of the trace
     */
    public static String of(List<ScheduledJob> jobs) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var scheduled : jobs) {
                var line = scheduled.job().id() + "," + scheduled.startS() + "\n";
                digest.update(line.getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
