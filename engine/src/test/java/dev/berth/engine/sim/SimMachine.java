package dev.berth.engine.sim;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.Node;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The simulated processes and files. It is independent of servers and survives them. */
final class SimMachine {

    private final SortedMap<AttemptId, AttemptFolder> folders = new TreeMap<>();
    private final SortedMap<GpuId, List<AttemptId>> users = new TreeMap<>();
    private final SortedMap<AttemptId, ScriptReport> reports = new TreeMap<>();
    private final List<String> broken = new ArrayList<>();

    /** Calls that workers run, with the worker of each. */
    private final SortedMap<AttemptId, AttemptId> calls = new TreeMap<>();

    private int boots = 1;
    private long nextPid = 100;

    /** An attempt's directory and its processes. */
    static final class AttemptFolder {
        final Node.Launch order;
        boolean tombstone;
        Optional<ShimProcess> go = Optional.empty();
        boolean shimWaits;
        boolean commandAlive;
        boolean strayAlive;
        OptionalInt exitRecord = OptionalInt.empty();
        int begun;

        AttemptFolder(Node.Launch order) {
            this.order = order;
        }

        boolean isAnythingAlive() {
            return shimWaits || commandAlive || strayAlive;
        }
    }

    String bootId() {
        return "boot-" + boots;
    }

    Optional<AttemptFolder> folder(AttemptId attempt) {
        return Optional.ofNullable(folders.get(attempt));
    }

    /** All attempts that have a directory, in ascending order. */
    List<AttemptId> attempts() {
        return List.copyOf(folders.keySet());
    }

    AttemptFolder prepare(Node.Launch order) {
        return folders.computeIfAbsent(
                order.attempt().id(),
                id -> {
                    var folder = new AttemptFolder(order);
                    cards(folder)
                            .forEach(
                                    card ->
                                            users.computeIfAbsent(card, _ -> new ArrayList<>())
                                                    .add(id));
                    return folder;
                });
    }

    /** The shim tries to create {@code go}. The one that creates the file first decides. */
    void shimCreatesGo(AttemptId attempt, java.time.Instant now) {
        var folder = folders.get(attempt);
        if (folder == null || !folder.shimWaits) {
            return;
        }
        folder.shimWaits = false;
        if (folder.tombstone || folder.go.isPresent()) {
            return;
        }
        folder.go = Optional.of(new ShimProcess(new ProcessKey(bootId(), nextPid, nextPid), now));
        nextPid++;
        folder.begun++;
        folder.commandAlive = true;
        noteDoubles(attempt, folder);
    }

    private void noteDoubles(AttemptId attempt, AttemptFolder folder) {
        if (folder.begun > 1) {
            broken.add("attempt " + attempt + " began " + folder.begun + " times");
        }
        for (var other : folders.entrySet()) {
            if (other.getKey().equals(attempt) || !other.getValue().isAnythingAlive()) {
                continue;
            }
            if (other.getKey().task().equals(attempt.task()) && other.getValue().commandAlive) {
                broken.add(
                        "task "
                                + attempt.task()
                                + " runs twice: "
                                + other.getKey()
                                + " and "
                                + attempt);
            }
            var shared = cards(other.getValue());
            shared.retainAll(cards(folder));
            if (!shared.isEmpty()
                    && other.getValue().go.isPresent()
                    && !mayShare(other.getValue(), folder)) {
                broken.add("cards " + shared + " carry " + other.getKey() + " and " + attempt);
            }
        }
    }

    /** A worker begins to run a call. */
    void callBegins(AttemptId call, AttemptId worker) {
        calls.forEach(
                (other, runner) -> {
                    if (other.task().equals(call.task()) && folders.get(runner).commandAlive) {
                        broken.add(
                                "task " + call.task() + " runs twice: " + other + " and " + call);
                    }
                    if (runner.equals(worker)) {
                        broken.add("worker " + worker + " runs " + other + " and " + call);
                    }
                });
        calls.put(call, worker);
    }

    /** False if it is over already. */
    boolean callEnds(AttemptId call) {
        return calls.remove(call) != null;
    }

    private static Set<GpuId> cards(AttemptFolder folder) {
        var cards = new TreeSet<GpuId>();
        folder.order.attempt().claims().stream().map(Claim::gpu).forEach(cards::add);
        return cards;
    }

    /** A worker may be on the GPU of a task, but not beside another one of the same model. */
    private static boolean mayShare(AttemptFolder one, AttemptFolder other) {
        boolean isOneWorker = one.order.spec().isWorker();
        boolean isOtherWorker = other.order.spec().isWorker();
        return (isOneWorker && isOtherWorker)
                ? !one.order.spec().name().equals(other.order.spec().name())
                : isOneWorker || isOtherWorker;
    }

    /** The script of this attempt reports its own end. */
    void report(AttemptId attempt, ScriptReport report) {
        reports.put(attempt, report);
    }

    /** What scripts reported about their own end, by attempt. */
    SortedMap<AttemptId, ScriptReport> reports() {
        return Collections.unmodifiableSortedMap(reports);
    }

    /** All attempts, past ones too, with a claim on this GPU. */
    List<AttemptId> on(GpuId card) {
        return List.copyOf(users.getOrDefault(card, List.of()));
    }

    /** The server creates {@code go} itself, so that the shim can no longer start the command. */
    boolean plantTombstone(AttemptId attempt) {
        var folder = folders.get(attempt);
        if (folder == null) {
            return true;
        }
        if (folder.go.isPresent()) {
            return false;
        }
        folder.tombstone = true;
        return true;
    }

    /** All processes end; the files stay. */
    void reboot() {
        boots++;
        for (var folder : folders.values()) {
            folder.shimWaits = false;
            folder.commandAlive = false;
            folder.strayAlive = false;
        }
    }

    /** The attempts with a living process. */
    List<AttemptId> alive() {
        return folders.entrySet().stream()
                .filter(entry -> entry.getValue().isAnythingAlive())
                .map(java.util.Map.Entry::getKey)
                .toList();
    }

    List<String> broken() {
        return broken;
    }
}
