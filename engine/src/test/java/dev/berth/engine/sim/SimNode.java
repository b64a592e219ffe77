package dev.berth.engine.sim;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.ScriptReport;
import dev.berth.port.Fact;
import dev.berth.testkit.node.FakeNode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Starts and watches attempts on the {@link SimMachine}. It belongs to one server process: when the
 * server dies, orders that were not executed and facts that were not delivered are lost.
 */
final class SimNode extends FakeNode {

    private static final Duration READ_EVERY = Duration.ofSeconds(1);

    private final SimMachine machine;
    private final SimGpus cards;
    private final VirtualTime time;
    private final SplittableRandom random;
    private FailureRates hazards;
    private final TreeSet<AttemptId> stopping = new TreeSet<>();
    private final TreeSet<AttemptId> closing = new TreeSet<>();
    private final TreeSet<AttemptId> leaving = new TreeSet<>();
    private final SimWorkers workers;
    private Optional<Fact.GpusRead> told = Optional.empty();
    private boolean dead;

    /** Probabilities of failures, in percent. */
    record FailureRates(
            int launchFails,
            int vanishes,
            int strays,
            int unreadable,
            int stuck,
            int repeatedFact) {
        static final FailureRates NONE = new FailureRates(0, 0, 0, 0, 0, 0);
    }

    /** The environment of a node. */
    record Environment(
            SimMachine machine,
            SimGpus cards,
            VirtualTime time,
            SplittableRandom random,
            FailureRates hazards) {}

    SimNode(Environment setting, Consumer<Fact> facts) {
        super(SimGpus.NODE, setting.machine().bootId(), facts);
        this.machine = setting.machine();
        this.cards = setting.cards();
        this.time = setting.time();
        this.random = setting.random();
        this.hazards = setting.hazards();
        this.workers = new SimWorkers(machine, this);
    }

    @Override
    public void call(Call order) {
        super.call(order);
        workers.call(order);
    }

    /** A process of its own went wrong; its end is noticed like any other. */
    void workerCrashes(AttemptId worker) {
        machine.folder(worker).ifPresent(folder -> commandEnds(worker, folder));
    }

    /** Happens on the machine, also without this server. */
    void onMachine(int mostMillis, Runnable action) {
        time.after(millis(mostMillis), action);
    }

    void ifAlive(Runnable action) {
        if (!dead) {
            action.run();
        }
    }

    /** Never while all failures have ended. */
    boolean hasBadLuck(int inHundred) {
        return !hazards.equals(FailureRates.NONE) && chance(inHundred);
    }

    void kill() {
        dead = true;
    }

    /** Ends all random failures. */
    void stopFailures() {
        hazards = FailureRates.NONE;
    }

    /** A start needs the text of the script that was committed last. */
    private static void requireText(Launch order) {
        if (order.spec().script().text().command().isEmpty()) {
            throw new IllegalStateException("no script for attempt " + order.attempt().id());
        }
    }

    @Override
    public void launch(Launch order) {
        super.launch(order);
        requireText(order);
        later(
                5,
                () -> {
                    var id = order.attempt().id();
                    if (stopping.contains(id)) {
                        return;
                    }
                    if (chance(hazards.launchFails())) {
                        close(
                                id,
                                random.nextBoolean()
                                        ? new Ending.LaunchFailed("the script cannot be written")
                                        : new Ending.NotLaunched(
                                                new MachineFault(
                                                        MachineFault.Kind.DISK_FULL, "no space")));
                        return;
                    }
                    var folder = machine.prepare(order);
                    later(3, () -> spawn(id, folder));
                });
    }

    private void spawn(AttemptId id, SimMachine.AttemptFolder folder) {
        if (folder.tombstone) {
            return;
        }
        folder.shimWaits = true;
        // From here on the processes run on the machine, also without this server.
        time.after(
                millis(8),
                () -> {
                    machine.shimCreatesGo(id, time.now());
                    if (folder.commandAlive && !Simulation.isEndless(folder.order.spec())) {
                        time.after(millis(3000), () -> commandEnds(id, folder));
                    }
                });
        watch(id, folder, true);
    }

    private void commandEnds(AttemptId id, SimMachine.AttemptFolder folder) {
        if (!folder.commandAlive) {
            return;
        }
        if (folder.order.reportKey().isPresent() && random.nextBoolean()) {
            boolean isWell = random.nextInt(10) < 7;
            var errorType = isWell ? Optional.<String>empty() : Optional.of("runtime_error");
            machine.report(id, new ScriptReport(isWell, errorType, time.now()));
        }
        folder.commandAlive = false;
        folder.strayAlive = chance(hazards.strays());
        if (!chance(hazards.vanishes())) {
            folder.exitRecord = java.util.OptionalInt.of(random.nextInt(10) < 7 ? 0 : 1);
        }
    }

    /** Polls until the command has ended, then ends leftover processes. */
    private void watch(AttemptId id, SimMachine.AttemptFolder folder, boolean tellStart) {
        later(
                20,
                () -> {
                    boolean untold = tellStart;
                    if (folder.go.isPresent() && tellStart) {
                        tell(new Fact.Started(id, folder.go.get()));
                        untold = false;
                    }
                    if (folder.shimWaits || folder.commandAlive) {
                        watch(id, folder, untold);
                    } else {
                        sweep(id, folder, ending(folder));
                    }
                });
    }

    private static Ending ending(SimMachine.AttemptFolder folder) {
        if (folder.exitRecord.isPresent()) {
            return new Ending.Exited(folder.exitRecord.getAsInt());
        }
        return folder.go.isPresent() ? new Ending.Vanished() : new Ending.NeverStarted();
    }

    private void sweep(AttemptId id, SimMachine.AttemptFolder folder, Ending ending) {
        later(
                folder.strayAlive ? 500 : 2,
                () -> {
                    if (folder.strayAlive && chance(hazards.stuck())) {
                        tell(new Fact.Stuck(id, "a process outlived KILL"));
                        later(5000, () -> sweep(id, folder, ending));
                        return;
                    }
                    folder.strayAlive = false;
                    close(id, ending);
                });
    }

    private void close(AttemptId id, Ending ending) {
        if (!closing.add(id)) {
            return;
        }
        if (machine.folder(id).filter(folder -> folder.go.isPresent()).isEmpty()) {
            tell(new Fact.Ended(id, ending, List.of()));
            return;
        }
        cards.processesEnded(id, time.now());
        var report = Optional.ofNullable(machine.reports().get(id));
        tell(new Fact.Ended(id, ending, List.of(), false, AttemptFindings.NONE, report));
        leaving.add(id);
        later(20, this::readAgain);
    }

    /** Reads again soon while an ended attempt may still be on its GPUs. */
    private void readAgain() {
        read();
        if (!leaving.isEmpty()) {
            later(100, this::readAgain);
        }
    }

    /** Reads the GPUs once and reports changes. */
    void read() {
        var off = new ArrayList<Fact.Departure>();
        if (cards.isAnswering()) {
            for (var attempt : List.copyOf(leaving)) {
                if (!cards.isListed(attempt, time.now())) {
                    leaving.remove(attempt);
                    off.add(new Fact.Departure(attempt, true));
                }
            }
        }
        var read = cards.read(off, time.now());
        if (!told.equals(Optional.of(read))) {
            told = Optional.of(read);
            observe(read);
        }
    }

    /** Reads the GPUs once a second from now on. */
    void watchCards() {
        read();
        time.after(
                READ_EVERY,
                () -> {
                    if (!dead) {
                        watchCards();
                    }
                });
    }

    @Override
    public void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey) {
        super.adopt(attempt, timeLimit, reportKey);
        later(50, () -> look(attempt));
    }

    private void look(Attempt attempt) {
        var id = attempt.id();
        var found = machine.folder(id);
        if (found.isPresent() && chance(hazards.unreadable())) {
            tell(new Fact.Lost(id, "its folder cannot be read"));
            later(4000, () -> lookAgain(attempt));
            return;
        }
        if (found.isPresent() && found.get().exitRecord.isPresent()) {
            tell(new Fact.EndingProcesses(id));
            sweep(id, found.get(), ending(found.get()));
        } else if (!attempt.bootId().equals(bootId())) {
            close(id, new Ending.MachineRestarted());
        } else if (found.isEmpty() || machine.plantTombstone(id)) {
            found.ifPresent(folder -> folder.shimWaits = false);
            close(id, new Ending.NeverStarted());
        } else if (found.get().commandAlive) {
            tell(new Fact.Adopted(id, found.get().go.orElseThrow()));
            watch(id, found.get(), false);
        } else {
            tell(new Fact.EndingProcesses(id));
            sweep(id, found.get(), ending(found.get()));
        }
    }

    private void lookAgain(Attempt attempt) {
        if (!stopping.contains(attempt.id()) && !forgotten.contains(attempt.id())) {
            look(attempt);
        }
    }

    @Override
    public void forget(AttemptId id) {
        super.forget(id);
        closing.add(id);
        cards.processesEnded(id, time.now());
        leaving.add(id);
        later(20, this::readAgain);
    }

    /** The test passes if the GPU is readable at its end. */
    @Override
    public void testGpu(GpuId card) {
        super.testGpu(card);
        later(
                3000,
                () -> {
                    boolean isWell =
                            cards.read(List.of(), time.now()).gpus().stream()
                                    .filter(state -> state.gpu().id().equals(card))
                                    .anyMatch(GpuState::isReadable);
                    tell(
                            new Fact.GpuTested(
                                    card,
                                    isWell ? Optional.empty() : Optional.of("it is not back")));
                });
    }

    @Override
    public void stop(AttemptId id) {
        super.stop(id);
        if (workers.cancel(id)) {
            return;
        }
        stopping.add(id);
        later(1500, () -> end(id));
    }

    private void end(AttemptId id) {
        var found = machine.folder(id);
        if (found.isEmpty() || machine.plantTombstone(id)) {
            found.ifPresent(folder -> folder.shimWaits = false);
            close(id, new Ending.NeverStarted());
            return;
        }
        var folder = found.get();
        if (folder.commandAlive) {
            folder.commandAlive = false;
            folder.strayAlive = chance(hazards.strays());
        }
        sweep(id, folder, ending(folder));
    }

    void tell(Fact fact) {
        observe(fact);
        if (chance(hazards.repeatedFact())) {
            later(200, () -> observe(fact));
        }
    }

    void later(int mostMillis, Runnable action) {
        time.after(
                millis(mostMillis),
                () -> {
                    if (!dead) {
                        action.run();
                    }
                });
    }

    private Duration millis(int most) {
        return Duration.ofMillis(1L + random.nextInt(most));
    }

    private boolean chance(int inHundred) {
        return random.nextInt(100) < inHundred;
    }
}
