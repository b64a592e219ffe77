package dev.berth.nodesocket.client;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.ShimProcess;
import dev.berth.nodesocket.message.ToNode;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The orders that have no result yet. A node that comes back knows nothing of them: it is asked to
 * adopt every attempt that has not ended, as after a restart of the server. Whether a launch that
 * was sent to the lost node has started something is decided by the file {@code go}, which the
 * adoption reads or closes. Not thread-safe.
 */
final class OpenOrders {

    private final SortedMap<AttemptId, OpenAttempt> attempts = new TreeMap<>();
    private final SortedSet<AttemptId> stops = new TreeSet<>();
    private final SortedMap<AttemptId, ShimProcess> watches = new TreeMap<>();

    /** Ended attempts that no reading has shown off their GPUs yet. */
    private final SortedSet<AttemptId> releases = new TreeSet<>();

    private final SortedSet<GpuId> gpuTests = new TreeSet<>();
    private final List<ToNode.Call> unsentCalls = new ArrayList<>();
    private boolean isSampledOften;

    /**
     * An attempt that has not ended.
     *
     * @param attempt with its phase as far as the node has reported it
     * @param unsent the launch, if no node has got it yet
     */
    private record OpenAttempt(
            Attempt attempt,
            Optional<Duration> timeLimit,
            Optional<String> reportKey,
            Optional<Node.Launch> unsent) {

        OpenAttempt after(PhaseTransition move) {
            return new OpenAttempt(attempt.after(move), timeLimit, reportKey, unsent);
        }

        OpenAttempt sent() {
            return new OpenAttempt(attempt, timeLimit, reportKey, Optional.empty());
        }

        ToNode.Order order() {
            return unsent.<ToNode.Order>map(ToNode.Launch::new)
                    .orElseGet(() -> new ToNode.Adopt(attempt, timeLimit, reportKey));
        }
    }

    /**
     * Keeps the order until its result is known.
     *
     * @param isSent a node has got it, or may have
     * @return the result, if it is known without a node
     */
    Optional<Fact> add(ToNode.Order order, boolean isSent) {
        switch (order) {
            case ToNode.Launch(Node.Launch launch) ->
                    attempts.put(
                            launch.attempt().id(),
                            new OpenAttempt(
                                    launch.attempt(),
                                    launch.spec().options().timeLimit(),
                                    launch.reportKey(),
                                    isSent ? Optional.empty() : Optional.of(launch)));
            case ToNode.Adopt(var attempt, var timeLimit, var reportKey) ->
                    attempts.put(
                            attempt.id(),
                            new OpenAttempt(attempt, timeLimit, reportKey, Optional.empty()));
            case ToNode.Call call -> {
                if (!isSent) {
                    unsentCalls.add(call);
                }
            }
            case ToNode.Stop(AttemptId id) -> {
                return stop(id);
            }
            case ToNode.Watch(AttemptId id, ShimProcess process) -> watches.put(id, process);
            case ToNode.Forget(AttemptId id) -> {
                close(id);
                releases.add(id);
            }
            case ToNode.TestGpu(GpuId gpu) -> gpuTests.add(gpu);
            case ToNode.SampleGpusOften(boolean isOften) -> isSampledOften = isOften;
        }
        return Optional.empty();
    }

    private Optional<Fact> stop(AttemptId id) {
        var open = attempts.get(id);
        if (open != null && open.unsent().isPresent()) {
            close(id);
            return Optional.of(new Fact.Ended(id, new Ending.NeverStarted(), List.of()));
        }
        stops.add(id);
        return Optional.empty();
    }

    void observe(Fact fact) {
        switch (fact) {
            case Fact.Started(AttemptId id, ShimProcess process) -> seenAlive(id, process);
            case Fact.Adopted(AttemptId id, ShimProcess process) -> seenAlive(id, process);
            case Fact.WindowChanged(AttemptId id, var window) ->
                    attempts.computeIfPresent(
                            id,
                            (_, open) ->
                                    open.attempt()
                                            .phase()
                                            .shimProcess()
                                            .map(
                                                    one ->
                                                            new PhaseTransition.SeenAlive(
                                                                    one.with(window)))
                                            .map(open::after)
                                            .orElse(open));
            case Fact.Lost(AttemptId id, String why) ->
                    attempts.computeIfPresent(
                            id, (_, open) -> open.after(new PhaseTransition.LoseContact(why)));
            case Fact.Ended ended -> {
                close(ended.attempt());
                if (!ended.hasLeftGpus()) {
                    releases.add(ended.attempt());
                }
            }
            case Fact.CallEnded ended -> stops.remove(ended.attempt());
            case Fact.GpusRead read ->
                    read.departures().forEach(departure -> releases.remove(departure.attempt()));
            case Fact.GpuTested tested -> gpuTests.remove(tested.gpu());
            case Fact.ScriptReported _,
                    Fact.Progressed _,
                    Fact.Stalled _,
                    Fact.TimeLimitReached _,
                    Fact.EndingProcesses _,
                    Fact.Stuck _,
                    Fact.WorkerReady _,
                    Fact.WorkerFailed _,
                    Fact.GpuFaultFound _,
                    Fact.DiskSpaceRead _,
                    Fact.OfServer _ -> {}
        }
    }

    private void seenAlive(AttemptId id, ShimProcess process) {
        watches.remove(id);
        attempts.computeIfPresent(
                id, (_, open) -> open.after(new PhaseTransition.SeenAlive(process)));
    }

    private void close(AttemptId id) {
        attempts.remove(id);
        stops.remove(id);
        watches.remove(id);
    }

    /** What a node that has just connected must get, in this order. From now on it is sent. */
    List<ToNode.Order> resend() {
        var orders = new ArrayList<ToNode.Order>();
        orders.add(new ToNode.SampleGpusOften(isSampledOften));
        attempts.values().forEach(open -> orders.add(open.order()));
        attempts.replaceAll((_, open) -> open.sent());
        watches.forEach((id, process) -> orders.add(new ToNode.Watch(id, process)));
        stops.forEach(id -> orders.add(new ToNode.Stop(id)));
        releases.forEach(id -> orders.add(new ToNode.Forget(id)));
        gpuTests.forEach(gpu -> orders.add(new ToNode.TestGpu(gpu)));
        orders.addAll(unsentCalls);
        unsentCalls.clear();
        return orders;
    }

    /** The processes of workers live on without the pipes to their node, and must be ended. */
    List<Fact> failedWorkers(String why) {
        return attempts.values().stream()
                .filter(open -> open.attempt().isWorker() && open.unsent().isEmpty())
                .<Fact>map(
                        open ->
                                new Fact.WorkerFailed(
                                        open.attempt().id(), Fact.WorkerFault.PROTOCOL, why))
                .toList();
    }

    /** Gives up launches that no node has got: nothing of them can run. */
    List<Fact> withdrawUnsent(String why) {
        var withdrawn = new ArrayList<Fact>();
        for (var open : List.copyOf(attempts.values())) {
            if (open.unsent().isPresent()) {
                close(open.attempt().id());
                withdrawn.add(notLaunched(open.attempt(), why));
            }
        }
        return withdrawn;
    }

    /**
     * The task waits again. GPUs that cannot be read keep it there; without GPUs, a fault of the
     * machine does.
     */
    static Fact notLaunched(Attempt attempt, String why) {
        var ending =
                attempt.claims().isEmpty()
                        ? new Ending.NotLaunched(new MachineFault(MachineFault.Kind.OTHER, why))
                        : new Ending.NeverStarted();
        return new Fact.Ended(attempt.id(), ending, List.of());
    }

    /** The attempts that have not ended. */
    List<AttemptId> openAttempts() {
        return List.copyOf(attempts.keySet());
    }
}
