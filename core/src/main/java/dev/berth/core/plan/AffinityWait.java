package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.model.ModelTimes;
import dev.berth.core.model.WarmModels;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.task.ModelWork;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Weighs the wait for a worker at work against one more load of its model. Tasks wait if the
 * workers would reach the last one of them before another worker had loaded the model.
 */
final class AffinityWait {

    private AffinityWait() {}

    /** The workers, with the models whose tasks wait for them. */
    static WarmModels decide(Snapshot snapshot) {
        var warm = snapshot.fleet().warm();
        var waits = PersistentMap.<String, WarmModels.Wait>empty();
        for (var entry : warm.times()) {
            var model = entry.getKey();
            var times = entry.getValue();
            var busy = warm.busy(model);
            int waiting = busy.isEmpty() ? 0 : waiting(snapshot, model);
            if (waiting > 0 && pays(busy, waiting, times, snapshot.at())) {
                var first =
                        busy.stream()
                                .map(worker -> remaining(worker, times, snapshot.at()))
                                .min(Duration::compareTo)
                                .orElseThrow();
                waits = waits.with(model, new WarmModels.Wait(times.load(), first));
            }
        }
        return warm.with(waits);
    }

    private static boolean pays(List<WarmWorker> busy, int waiting, ModelTimes times, Instant at) {
        var work = times.run().multipliedBy(waiting - 1L);
        for (var worker : busy) {
            work = work.plus(remaining(worker, times, at));
        }
        return work.dividedBy(busy.size()).compareTo(times.load()) <= 0;
    }

    /** A task that is late is expected to take as long again as it is late. */
    private static Duration remaining(WarmWorker worker, ModelTimes times, Instant at) {
        var elapsed = Duration.between(worker.lastUsed(), at);
        return worker.status() == WarmWorker.Status.LOADING
                ? times.load().minus(elapsed).abs().plus(times.run())
                : times.run().minus(elapsed).abs();
    }

    private static int waiting(Snapshot snapshot, String model) {
        int count = 0;
        for (var queue : snapshot.waiting().queues()) {
            for (var group : queue.getValue()) {
                boolean isMeant =
                        group.getKey()
                                .shape()
                                .work()
                                .filter(ModelWork::isCall)
                                .flatMap(ModelWork::model)
                                .filter(model::equals)
                                .isPresent();
                count += isMeant ? group.getValue().size() : 0;
            }
        }
        return count;
    }
}
