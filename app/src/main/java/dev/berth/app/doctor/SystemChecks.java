package dev.berth.app.doctor;

import dev.berth.config.Configuration;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.RunAs;
import dev.berth.files.PathPermissions;
import dev.berth.node.OwnerJobCommands;
import dev.berth.node.linux.LocalAccounts;
import dev.berth.nodeprocess.InvalidNodeConfig;
import dev.berth.nodeprocess.NodeConfig;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.Accounts.Account;
import dev.berth.slurm.ClusterProbe;
import dev.berth.slurm.CommandLineSlurm;
import dev.berth.slurm.JobOwner;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The checks of a server of the machine, by root.
 *
 * @param user as which jobs of a cluster are tried
 */
record SystemChecks(Path nodeConfig, Configuration config, Optional<String> user) {

    private static final String NODE = "node";
    private static final String ACCOUNT = "account";

    /** Its jobs belong to no attempt; no journal records them. */
    private static final AttemptId NO_ATTEMPT = new AttemptId(new TaskId(1), 1);

    List<DoctorFinding> all() throws InterruptedException {
        try (var accounts = new LocalAccounts()) {
            if (PathPermissions.ofThisProcess().uid() != 0) {
                return List.of(
                        DoctorFinding.wrong(
                                NODE,
                                "only root can check the server of a machine",
                                "sudo berth doctor --system"));
            }
            var node = NodeConfig.read(nodeConfig, Optional.empty());
            var findings = new ArrayList<DoctorFinding>();
            findings.add(DoctorFinding.ok(NODE, rules(node)));
            var server = accounts.named(node.serverUser());
            if (server.isEmpty()) {
                findings.add(
                        DoctorFinding.wrong(
                                ACCOUNT,
                                "the server's account " + node.serverUser() + " does not exist",
                                "sudo berth system install"));
                return findings;
            }
            findings.add(DoctorFinding.ok(ACCOUNT, "the server runs as " + server.get().name()));
            findings.addAll(
                    config.slurm().isPresent()
                            ? cluster(node, server.get(), accounts)
                            : List.of(
                                    DoctorFinding.note(
                                            "engine",
                                            "local; only a cluster (engine: slurm) has further"
                                                    + " checks with --system")));
            return findings;
        } catch (InvalidNodeConfig | IOException refused) {
            return List.of(
                    DoctorFinding.wrong(
                            NODE, String.valueOf(refused.getMessage()), "correct " + nodeConfig));
        }
    }

    private static String rules(NodeConfig node) {
        var rules = node.accounts();
        return "starts tasks of accounts from uid "
                + rules.minUid()
                + rules.group().map(group -> " in group " + group).orElse("")
                + (rules.deniedUsers().isEmpty()
                        ? ""
                        : " without " + String.join(", ", rules.deniedUsers()));
    }

    private List<DoctorFinding> cluster(NodeConfig node, Account server, Accounts accounts)
            throws IOException, InterruptedException {
        if (config.slurm().flatMap(Configuration.SlurmConfig::sharedDir).isEmpty()) {
            return List.of(
                    DoctorFinding.wrong(
                            "shared path",
                            "slurm.shared_dir is not set",
                            "name a directory that all nodes share and that belongs to "
                                    + server.name()));
        }
        var account = user.isPresent() ? accounts.named(user.get()) : Optional.<Account>empty();
        if (account.isEmpty()) {
            return List.of(
                    DoctorFinding.wrong(
                            ACCOUNT,
                            user.map(name -> "there is no account " + name)
                                    .orElse("as whom jobs are tried is not named"),
                            "sudo berth doctor --system --as USER"));
        }
        var refusal = node.accounts().refusal(account.get());
        if (refusal.isPresent()) {
            return List.of(
                    DoctorFinding.wrong(
                            ACCOUNT,
                            refusal.get(),
                            "name another with --as USER, or see node.conf"));
        }
        var job = new RunAs(account.get().name(), account.get().uid(), Optional.empty());
        var client =
                new CommandLineSlurm(System.getProperty("user.name"), Map.of())
                        .withOwners(OwnerJobCommands.of(node.accounts(), accounts));
        return new SlurmChecks(
                        config,
                        client,
                        SlurmChecks.Identity.of(account.get()),
                        Optional.of(
                                new ClusterProbe.ProbeAccounts(
                                        server, new JobOwner(NO_ATTEMPT, job))))
                .all();
    }
}
