package dev.berth.app.endtoend;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.testkit.SlurmTestCluster;

import java.nio.file.Path;
import java.util.Map;

/** A real cluster, and the server of a machine that hands the tasks of its users to it. */
record SystemSlurmHarness(SystemHarness machine, SlurmTestCluster cluster, Path shared)
        implements AutoCloseable {

    /**
     * @param denied the number of users, the last of all, for whom the node starts nothing
     */
    static SystemSlurmHarness start(int users, int denied) throws Exception {
        return start(users, denied, Map.of());
    }

    /**
     * @param settings variables of the script {@code cluster.sh}
     */
    static SystemSlurmHarness start(int users, int denied, Map<String, String> settings)
            throws Exception {
        var missing = SlurmTestCluster.missing();
        assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
        var machine = SystemHarness.prepare("none", users);
        var cluster = SlurmTestCluster.start(4, settings);
        var system = machine.processes();
        system.env("SLURM_CONF", cluster.environment().get("SLURM_CONF"));
        var shared = system.createServerDirectory("shared");
        system.configure("engine: slurm\nslurm:\n  shared_dir: " + shared + "\n");
        var names =
                machine.users().subList(users - denied, users).stream()
                        .map(TestAccounts.Account::name)
                        .toList();
        system.configureNode(
                "denied = "
                        + String.join(",", names)
                        + "\nserver_user = "
                        + system.serverUser()
                        + "\n");
        var harness = new SystemSlurmHarness(machine, cluster, shared);
        system.start();
        return harness;
    }

    SystemProcesses system() {
        return machine.processes();
    }

    Path attempt(long task) {
        return shared.resolve("tasks/task_" + task + "/attempts/1");
    }

    @Override
    public void close() throws Exception {
        system().stop();
        cluster.close();
        machine.close();
    }
}
