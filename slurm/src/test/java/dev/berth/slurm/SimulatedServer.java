package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.port.Cluster;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Does with a simulated cluster what {@link SlurmCluster} does with a real one, in virtual time.
 */
final class SimulatedServer implements Cluster {

    private final SimulatedCluster cluster;
    private final HandedAttempts handed;

    SimulatedServer(SimulatedCluster cluster, Consumer<Fact> facts) {
        this.cluster = cluster;
        this.handed = new HandedAttempts(cluster, cluster, cluster, facts);
    }

    @Override
    public String name() {
        return "slurm";
    }

    @Override
    public void handOver(Node.Launch order) {
        handed.handOver(order);
    }

    @Override
    public void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey) {
        handed.adopt(attempt.id(), timeLimit, reportKey);
    }

    @Override
    public void stop(AttemptId attempt) {
        handed.stop(attempt, cluster.now());
    }

    @Override
    public void withdraw(AttemptId attempt) {
        handed.withdraw(attempt);
    }

    @Override
    public void forget(AttemptId attempt) {
        handed.forget(attempt);
    }

    /** Time passes, and the server looks once. */
    void step(Duration time) {
        cluster.advance(time);
        submitDue();
        long requestedAt = handed.acknowledged();
        try {
            var jobs = cluster.jobs(new TreeSet<>());
            var start =
                    handed.needsControllerStart()
                            ? Optional.of(cluster.controllerStart())
                            : Optional.<Instant>empty();
            handed.controllerStarted(start);
            for (var cancel : handed.examine(jobs, requestedAt, cluster.now())) {
                cluster.cancel(cancel.job(), cancel.name(), Optional.empty());
            }
        } catch (SlurmFailure failure) {
            handed.examineFiles(cluster.now());
        }
        handed.controllerStarted(Optional.empty());
        cluster.releaseGpus(mark -> handed.isHeld(mark, cluster.now()));
    }

    private void submitDue() {
        for (var order : handed.takeSubmits()) {
            try {
                cluster.prepare(order.launch());
                cluster.submit(cluster.script(order.attempt()), options(order), Optional.empty());
                handed.submitted(order.attempt());
            } catch (SlurmFailure failure) {
                handed.notSubmitted(order.attempt(), failure);
            }
        }
    }

    private List<String> options(SlurmOrder.Submit order) {
        var script = cluster.script(order.attempt());
        return JobOptions.of(
                order.launch(),
                script.resolveSibling("log"),
                SlurmSettings.DEFAULT,
                new TreeSet<>(),
                new JobOptions.Earlier(
                        Optional.empty(), cluster.memoryShortages(order.attempt().task())));
    }
}
