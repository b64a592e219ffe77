package dev.berth.slurm;

import dev.berth.core.plan.ClusterWait;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Maps Slurm's reasons for waiting to the codes of the API. */
final class WaitCodes {

    private static final Map<String, String> CODES = new TreeMap<>();

    static {
        put("resources", "Resources", "Nodes_required", "None");
        put("priority", "Priority");
        put("dependency", "Dependency", "DependencyNeverSatisfied");
        put(
                "held",
                "JobHeldAdmin",
                "JobHeldUser",
                "JobHoldMaxRequeue",
                "launch_failed_requeued_held",
                "job_requeued_in_held_state");
        put("begin_time", "BeginTime", "Cleaning");
        put("reservation", "Reservation", "ReservationDeleted");
        put("licenses", "Licenses");
        put(
                "nodes_unavailable",
                "ReqNodeNotAvail",
                "NodeDown",
                "PartitionDown",
                "PartitionInactive",
                "FrontEndDown");
        put("bad_request", "BadConstraints", "InvalidAccount", "InvalidQOS", "AccountNotAllowed");
        put("starting", "Prolog");
    }

    private WaitCodes() {}

    private static void put(String code, String... reasons) {
        for (var reason : reasons) {
            CODES.put(reason, code);
        }
    }

    static ClusterWait of(SlurmJob job) {
        var reason = job.reason();
        // For example "ReqNodeNotAvail, UnavailableNodes:n1".
        int comma = reason.indexOf(',');
        var word = (comma < 0 ? reason : reason.substring(0, comma)).strip();
        if (job.state() == SlurmJob.State.ACTIVE) {
            return new ClusterWait("starting", "", Optional.empty());
        }
        return new ClusterWait(code(word), reason, job.start());
    }

    private static String code(String word) {
        var known = CODES.get(word);
        if (known != null) {
            return known;
        }
        if (word.startsWith("Partition") || (word.startsWith("QOS") && word.contains("PerJob"))) {
            return "partition_limit";
        }
        if (word.startsWith("Assoc") || word.startsWith("QOS") || word.startsWith("Max")) {
            return "user_limit";
        }
        return "other";
    }
}
