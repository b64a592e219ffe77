package dev.berth.testkit.sim;

import dev.berth.core.card.CardId;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.engine.port.Node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** What really runs and lies on disk. It knows nothing of servers and survives them. */
final class Machine {

    private final SortedMap<AttemptId, Folder> folders = new TreeMap<>();
    private final SortedMap<CardId, List<AttemptId>> users = new TreeMap<>();
    private final List<String> broken = new ArrayList<>();
    private int boots = 1;
    private long nextPid = 100;

    /** An attempt's directory and the processes that belong to it. */
    static final class Folder {
        final Node.Launch order;
        boolean tombstone;
        Optional<Run> go = Optional.empty();
        boolean shimWaits;
        boolean commandAlive;
        boolean strayAlive;
        OptionalInt exitRecord = OptionalInt.empty();
        int begun;

        Folder(Node.Launch order) {
            this.order = order;
        }

        boolean isAnythingAlive() {
            return shimWaits || commandAlive || strayAlive;
        }
    }

    String bootId() {
        return "boot-" + boots;
    }

    Optional<Folder> folder(AttemptId attempt) {
        return Optional.ofNullable(folders.get(attempt));
    }

    Folder prepare(Node.Launch order) {
        return folders.computeIfAbsent(
                order.attempt().id(),
                id -> {
                    var folder = new Folder(order);
                    cards(folder)
                            .forEach(
                                    card ->
                                            users.computeIfAbsent(card, _ -> new ArrayList<>())
                                                    .add(id));
                    return folder;
                });
    }

    /** The shim reaches for {@code go}: whoever creates the file first decides. */
    void shimTakesGo(AttemptId attempt, java.time.Instant now) {
        var folder = folders.get(attempt);
        if (folder == null || !folder.shimWaits) {
            return;
        }
        folder.shimWaits = false;
        if (folder.tombstone || folder.go.isPresent()) {
            return;
        }
        folder.go = Optional.of(new Run(new ProcessKey(bootId(), nextPid, nextPid), now));
        nextPid++;
        folder.begun++;
        folder.commandAlive = true;
        noteDoubles(attempt, folder);
    }

    private void noteDoubles(AttemptId attempt, Folder folder) {
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
            if (!shared.isEmpty() && other.getValue().go.isPresent()) {
                broken.add("cards " + shared + " carry " + other.getKey() + " and " + attempt);
            }
        }
    }

    private static Set<CardId> cards(Folder folder) {
        var cards = new TreeSet<CardId>();
        folder.order.attempt().claims().stream().map(Claim::card).forEach(cards::add);
        return cards;
    }

    /** Attempts that were ever to use this card. */
    List<AttemptId> on(CardId card) {
        return List.copyOf(users.getOrDefault(card, List.of()));
    }

    /** The server reaches for {@code go} itself, to make sure that nobody else ever will. */
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

    /** Everything dies; the disk stays. */
    void reboot() {
        boots++;
        for (var folder : folders.values()) {
            folder.shimWaits = false;
            folder.commandAlive = false;
            folder.strayAlive = false;
        }
    }

    /** Attempts of which a process lives. */
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
