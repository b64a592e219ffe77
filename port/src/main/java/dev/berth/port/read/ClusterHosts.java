package dev.berth.port.read;

import java.util.List;
import java.util.Optional;

/** The hosts of a cluster, as last read. Any thread may ask. */
public interface ClusterHosts {

    /** There is no cluster. */
    ClusterHosts NONE = List::of;

    List<ClusterHost> hosts();

    /**
     * @param state in the words of the cluster
     * @param isUsable tasks may start there
     * @param reason why it is not usable, as a person or the cluster wrote it
     * @param gpuTypes with the number of GPUs, for example {@code 4 x a100}
     * @param usedGpus GPUs that jobs hold, of Berth and of others
     * @param users who run jobs there
     */
    record ClusterHost(
            String name,
            String state,
            boolean isUsable,
            Optional<String> reason,
            List<String> gpuTypes,
            int gpus,
            int usedGpus,
            List<String> users) {
        public ClusterHost {
            gpuTypes = List.copyOf(gpuTypes);
            users = List.copyOf(users);
        }
    }
}
