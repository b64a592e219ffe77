package dev.berth.core.plan;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.task.Claim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which workers have to leave a GPU before a task can start there. An idle worker keeps its memory
 * only as long as nobody else needs it.
 */
public final class Eviction {

    /** Those that are leaving anyway, then the least recently used. */
    private static final Comparator<WarmWorker> ORDER =
            Comparator.comparing((WarmWorker worker) -> !worker.isStopping())
                    .thenComparing(WarmWorker::lastUsed)
                    .thenComparing(WarmWorker::id);

    private Eviction() {}

    /** Memory that the workers on a GPU would free if all that are not at work left it. */
    static long freeableMib(GpuView view) {
        var workers = view.workers();
        if (workers.isEmpty()) {
            return 0;
        }
        return workers.stream()
                .filter(worker -> worker.call().isEmpty())
                .mapToLong(worker -> allocatedMib(view, worker))
                .sum();
    }

    /** The same for all GPUs of a task. */
    static List<WarmWorker> needed(GpuRequirement ask, List<GpuView> views, SchedulingRules rules) {
        return views.stream().flatMap(view -> needed(ask, view, rules).stream()).toList();
    }

    /**
     * The workers to wait for; those that are not leaving yet have to be ended. Empty if the task
     * can start at once. Only for a GPU that satisfies all constraints.
     */
    public static List<WarmWorker> needed(GpuRequirement ask, GpuView view, SchedulingRules rules) {
        if (view.workers().isEmpty()) {
            return List.of();
        }
        var own = view.workers().stream().filter(worker -> serves(ask, worker)).toList();
        var kept = new ArrayList<WarmWorker>();
        view.workers().stream()
                .filter(worker -> worker.call().isEmpty() && !own.contains(worker))
                .sorted(ORDER)
                .forEach(kept::add);
        int mostOthers =
                ask.isCall() && own.isEmpty()
                        ? rules.modelCache().maxModels() - 1
                        : Integer.MAX_VALUE;
        var evicted = new ArrayList<WarmWorker>();
        // A model has one worker on a GPU: the new one waits until the old one is gone.
        kept.removeIf(worker -> isPredecessor(ask, worker) && evicted.add(worker));
        var freed = new ArrayList<>(own);
        freed.addAll(evicted);
        while (!kept.isEmpty()
                && (kept.size() > mostOthers || !fits(ask, view, rules, kept, freed))) {
            var next = kept.removeFirst();
            evicted.add(next);
            freed.add(next);
        }
        return List.copyOf(evicted);
    }

    private static boolean serves(GpuRequirement ask, WarmWorker worker) {
        return ask.isCall() && !worker.isStopping() && isOfModel(ask, worker);
    }

    private static boolean isPredecessor(GpuRequirement ask, WarmWorker worker) {
        return ask.isCall() && worker.isStopping() && isOfModel(ask, worker);
    }

    private static boolean isOfModel(GpuRequirement ask, WarmWorker worker) {
        return ask.model().filter(worker.model()::equals).isPresent();
    }

    private static boolean fits(
            GpuRequirement ask,
            GpuView view,
            SchedulingRules rules,
            List<WarmWorker> kept,
            List<WarmWorker> freed) {
        if (!(view.state() instanceof GpuState.Readable(var gpu, GpuReading reading))) {
            return true;
        }
        long freedMib = freed.stream().mapToLong(worker -> allocatedMib(view, worker)).sum();
        if (ask.neededMib().isEmpty()) {
            long used = reading.usedMib().orElse(0) - freedMib;
            return used * 100 < gpu.totalMib() * rules.memoryThresholdPercent();
        }
        var holds = new ArrayList<>(view.holds());
        kept.forEach(worker -> holds.add(hold(worker)));
        long headroom = Headroom.mib(reading, holds).orElse(0) + freedMib;
        return headroom - ask.marginMib() >= ask.neededMib().getAsLong();
    }

    private static HeldClaim hold(WarmWorker worker) {
        return new HeldClaim(worker.id(), new Claim(worker.gpu(), worker.memoryMib(), false));
    }

    /** What the driver reports for its processes; without a report what it claims. */
    static long allocatedMib(GpuView view, WarmWorker worker) {
        if (view.processesUnknown()) {
            return worker.memoryMib();
        }
        return view.processes().stream()
                .filter(process -> isOf(process, worker))
                .mapToLong(process -> process.usedMib().orElse(worker.memoryMib()))
                .sum();
    }

    static boolean isOf(GpuProcess process, WarmWorker worker) {
        return process.owner() instanceof ProcessOwner.BerthAttempt(var attempt)
                && attempt.equals(worker.id());
    }
}
