package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.port.Cluster;
import dev.berth.testkit.ClusterContract;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;

final class SimulatedClusterTest extends ClusterContract {

    private static final int MAX_STEPS = 5000;

    @Override
    protected int seeds() {
        return Integer.getInteger("berth.slurm.seeds", 200);
    }

    @Override
    protected Subject open(long seed) {
        return new Simulated(seed);
    }

    private static final class Simulated extends Subject {

        private final SimulatedCluster simulation;
        private SimulatedServer server;

        Simulated(long seed) {
            super("h", 0);
            simulation = new SimulatedCluster(seed);
            server = new SimulatedServer(simulation, this::report);
        }

        @Override
        public Cluster cluster() {
            return server;
        }

        @Override
        public Instant now() {
            return simulation.now();
        }

        @Override
        public String command(int seconds, int code) {
            return "sleep " + seconds + "; exit " + code;
        }

        @Override
        public List<AttemptId> starts() {
            return simulation.runs.stream().map(run -> run.attempt).toList();
        }

        @Override
        public void await(String what, BooleanSupplier condition) {
            for (int step = 0; step < MAX_STEPS; step++) {
                if (condition.getAsBoolean()) {
                    return;
                }
                server.step(Duration.ofMillis(300));
            }
            throw new AssertionError(what + " did not happen");
        }

        @Override
        public void restartServer() {
            server = new SimulatedServer(simulation, this::report);
        }

        @Override
        public void stopController() {
            simulation.setDown(true);
        }

        @Override
        public void startController() {
            simulation.setDown(false);
        }

        @Override
        public void crashController() {
            simulation.crash();
        }

        @Override
        public void loseHost(String host) {
            simulation.loseHost(number(host));
        }

        @Override
        public void recoverHost(String host) {
            simulation.resume(number(host));
        }

        @Override
        public void drain(String host) {
            simulation.drain(number(host), Duration.ofDays(1));
        }

        @Override
        public void resume(String host) {
            simulation.resume(number(host));
        }

        private static int number(String host) {
            return Integer.parseInt(host.substring(1));
        }

        @Override
        public void close() {}
    }
}
