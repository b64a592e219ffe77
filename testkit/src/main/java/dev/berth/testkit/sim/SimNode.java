package dev.berth.testkit.sim;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The part of a server that starts and watches attempts on the {@link Machine}. It dies with its
 * server: orders not yet carried out and facts not yet told are lost then.
 */
final class SimNode implements Node {

    private static final Duration READ_EVERY = Duration.ofSeconds(1);

    private final Machine machine;
    private final SimCards cards;
    private final VirtualTime time;
    private final SplittableRandom random;
    private final Consumer<Fact> facts;
    private Hazards hazards;
    private final String bootId;
    private final TreeSet<AttemptId> stopping = new TreeSet<>();
    private final TreeSet<AttemptId> closing = new TreeSet<>();
    private final TreeSet<AttemptId> leaving = new TreeSet<>();
    private Optional<Fact.CardsRead> told = Optional.empty();
    private boolean dead;

    /** What goes wrong, and how often in a hundred. */
    record Hazards(
            int launchFails,
            int vanishes,
            int strays,
            int unreadable,
            int stuck,
            int repeatedFact) {
        static final Hazards NONE = new Hazards(0, 0, 0, 0, 0, 0);
    }

    /** Where a node is put. */
    record Setting(
            Machine machine,
            SimCards cards,
            VirtualTime time,
            SplittableRandom random,
            Hazards hazards) {}

    SimNode(Setting setting, Consumer<Fact> facts) {
        this.machine = setting.machine();
        this.cards = setting.cards();
        this.time = setting.time();
        this.random = setting.random();
        this.hazards = setting.hazards();
        this.facts = facts;
        this.bootId = machine.bootId();
    }

    void die() {
        dead = true;
    }

    /** From now on nothing goes wrong by itself. */
    void calmDown() {
        hazards = Hazards.NONE;
    }

    @Override
    public String name() {
        return "sim";
    }

    @Override
    public String bootId() {
        return bootId;
    }

    @Override
    public void launch(Launch order) {
        later(
                5,
                () -> {
                    var id = order.attempt().id();
                    if (stopping.contains(id)) {
                        return;
                    }
                    if (chance(hazards.launchFails())) {
                        close(id, new Ending.LaunchFailed("the folder cannot be written"));
                        return;
                    }
                    var folder = machine.prepare(order);
                    later(3, () -> spawn(id, folder));
                });
    }

    private void spawn(AttemptId id, Machine.Folder folder) {
        if (folder.tombstone) {
            return;
        }
        folder.shimWaits = true;
        // From here on it is the machine's doing and goes on without us.
        time.after(
                millis(8),
                () -> {
                    machine.shimTakesGo(id, time.now());
                    if (folder.commandAlive && !World.isEndless(folder.order.spec())) {
                        time.after(millis(3000), () -> commandEnds(folder));
                    }
                });
        watch(id, folder, true);
    }

    private void commandEnds(Machine.Folder folder) {
        if (!folder.commandAlive) {
            return;
        }
        folder.commandAlive = false;
        folder.strayAlive = chance(hazards.strays());
        if (!chance(hazards.vanishes())) {
            folder.exitRecord = java.util.OptionalInt.of(random.nextInt(10) < 7 ? 0 : 1);
        }
    }

    /** Looks until the command is over, then sweeps. */
    private void watch(AttemptId id, Machine.Folder folder, boolean tellStart) {
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

    private static Ending ending(Machine.Folder folder) {
        if (folder.exitRecord.isPresent()) {
            return new Ending.Exited(folder.exitRecord.getAsInt());
        }
        return folder.go.isPresent() ? new Ending.Vanished() : new Ending.NeverStarted();
    }

    private void sweep(AttemptId id, Machine.Folder folder, Ending ending) {
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
        cards.died(id, time.now());
        tell(new Fact.Ended(id, ending, List.of(), false));
        leaving.add(id);
        later(20, this::readAgain);
    }

    /** Often while an ended attempt may still be on its cards. */
    private void readAgain() {
        read();
        if (!leaving.isEmpty()) {
            later(100, this::readAgain);
        }
    }

    /** Reads the cards once, now, and tells what is new. */
    void read() {
        var off = new ArrayList<Fact.Departure>();
        if (cards.isAnswering()) {
            for (var attempt : List.copyOf(leaving)) {
                if (!cards.isShown(attempt, time.now())) {
                    leaving.remove(attempt);
                    off.add(new Fact.Departure(attempt, true));
                }
            }
        }
        var read = cards.read(off, time.now());
        if (!told.equals(Optional.of(read))) {
            told = Optional.of(read);
            facts.accept(read);
        }
    }

    /** From now on once a second. */
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
    public void adopt(Attempt attempt, Optional<Duration> timeLimit) {
        later(50, () -> look(attempt));
    }

    private void look(Attempt attempt) {
        var id = attempt.id();
        var found = machine.folder(id);
        if (found.isPresent() && chance(hazards.unreadable())) {
            tell(new Fact.LostSight(id, "its folder cannot be read"));
            return;
        }
        if (found.isPresent() && found.get().exitRecord.isPresent()) {
            tell(new Fact.Sweeping(id));
            sweep(id, found.get(), ending(found.get()));
        } else if (!attempt.bootId().equals(bootId)) {
            close(id, new Ending.MachineRestarted());
        } else if (found.isEmpty() || machine.plantTombstone(id)) {
            found.ifPresent(folder -> folder.shimWaits = false);
            close(id, new Ending.NeverStarted());
        } else if (found.get().commandAlive) {
            tell(new Fact.Adopted(id, found.get().go.orElseThrow()));
            watch(id, found.get(), false);
        } else {
            tell(new Fact.Sweeping(id));
            sweep(id, found.get(), ending(found.get()));
        }
    }

    /** It passes if it can be read by then. */
    @Override
    public void test(CardId card) {
        later(
                3000,
                () -> {
                    boolean isWell =
                            cards.read(List.of(), time.now()).cards().stream()
                                    .filter(state -> state.card().id().equals(card))
                                    .anyMatch(CardState.Readable.class::isInstance);
                    tell(
                            new Fact.CardTested(
                                    card,
                                    isWell ? Optional.empty() : Optional.of("it is not back")));
                });
    }

    @Override
    public void stop(AttemptId id) {
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

    private void tell(Fact fact) {
        facts.accept(fact);
        if (chance(hazards.repeatedFact())) {
            later(200, () -> facts.accept(fact));
        }
    }

    private void later(int mostMillis, Runnable action) {
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
