package dev.berth.app.live;

import dev.berth.testkit.Script;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A program in the place of {@code nvidia-smi} that says what the test wants, and writes down when
 * it was asked.
 */
final class FakeSmi {

    static final String A = "GPU-aaaaaaaa-0000-0000-0000-000000000000";
    static final String B = "GPU-bbbbbbbb-0000-0000-0000-000000000000";

    /** What a card says of itself, in MiB, percent and degrees. */
    record Shown(int index, long total, long free, int utilization, int celsius) {}

    private static final String SCRIPT =
            """
            #!/bin/bash
            cd '%s'
            echo "$EPOCHREALTIME $1" >> calls
            case $(<mode) in
            fail) echo 'NVIDIA-SMI has failed because it could not talk to the driver'; exit 9 ;;
            hang) trap '' TERM INT; sleep 1000; exit 1 ;;
            garbage) echo 'xx#,,,%%!'; exit 0 ;;
            esac
            case "$1" in
            --query-gpu=uuid,pci.bus_id,ecc*,gpu_recovery_action) cat health ;;
            --query-gpu=*)
                if [[ -e once ]]; then cat once; rm once; else cat cards; fi ;;
            --query-compute-apps=*) cat processes ;;
            *) exit 2 ;;
            esac
            """;

    private final Path folder;
    private final Map<String, String> cards = new TreeMap<>();
    private final Map<String, Integer> places = new TreeMap<>();
    private final Map<String, Long> errors = new TreeMap<>();
    private final List<String> processes = new ArrayList<>();

    FakeSmi(World world) {
        this.folder = world.file("smi");
        try {
            Files.createDirectory(folder);
            Script.write(folder.resolve("nvidia-smi"), SCRIPT.formatted(folder));
        } catch (IOException e) {
            throw new UncheckedIOException("making " + folder, e);
        }
        mode("ok");
        card(A, 0, "0");
        card(B, 1, "0");
        write("kern.log", "");
        world.env("BERTH_NVIDIA_SMI_PATH", folder.resolve("nvidia-smi").toString())
                .env("BERTH_KERNEL_LOG_PATH", folder.resolve("kern.log").toString())
                // No real card has these names, whatever this machine has.
                .env("BERTH_GPU_TEST_COMMAND", "true")
                .options("--gpus", "auto", "--auth", "none");
    }

    /** {@code ok}, {@code fail}, {@code hang} or {@code garbage}. */
    void mode(String mode) {
        write("mode", mode);
    }

    /** A card of 100,000 MiB with so much in use; what is not a number is printed as it is. */
    void card(String uuid, int index, String used) {
        var free = used.matches("\\d+") ? Long.toString(100_000 - Long.parseLong(used)) : used;
        card(uuid, index, "Fake 100G", used + ", " + free);
    }

    void card(String uuid, int index, String model, String usedAndFree) {
        cards.put(
                uuid,
                "%d, %s, %s, 100000, %s, 7, 41, Disabled"
                        .formatted(index, uuid, model, usedAndFree));
        writeCards();
    }

    void show(Shown card) {
        cards.put(
                uuid(card.index()),
                "%d, %s, Fake, %d, %d, %d, %d, %d, Disabled"
                        .formatted(
                                card.index(),
                                uuid(card.index()),
                                card.total(),
                                card.total() - card.free(),
                                card.free(),
                                card.utilization(),
                                card.celsius()));
        writeCards();
    }

    /** Those of the cards A, B, … by their first numbers. */
    private static String uuid(int index) {
        return A.replace('a', (char) ('a' + index));
    }

    /** The driver lists it and cannot read it. */
    void unreadable(String uuid, int index, String word) {
        card(uuid, index, word);
    }

    /** So many errors of its memory that could not be corrected, as the health query tells. */
    void uncorrected(String uuid, long count) {
        errors.put(uuid, count);
        writeHealth();
    }

    /** The kernel logs an error of this card. */
    void xid(String uuid, int number) {
        try {
            Files.writeString(
                    folder.resolve("kern.log"),
                    "4,1,1,-;NVRM: Xid (PCI:0000:%02x:00): %d, pid='<unknown>', name=<unknown>\n"
                            .formatted(place(uuid), number),
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("writing the kernel's log", e);
        }
    }

    /** Where a card sits stays, whatever its number is. */
    private int place(String uuid) {
        return places.computeIfAbsent(uuid, _ -> 0x10 + places.size());
    }

    private void writeHealth() {
        var lines = new StringBuilder();
        for (var uuid : cards.keySet()) {
            lines.append(
                    "%s, 00000000:%02X:00.0, %d, [N/A], No, No, Not Active, None\n"
                            .formatted(uuid, place(uuid), errors.getOrDefault(uuid, 0L)));
        }
        write("health", lines.toString());
    }

    void drop(String uuid) {
        cards.remove(uuid);
        writeCards();
    }

    /** The next answer lacks this card, and only that one. */
    void dropOnce(String uuid) {
        var rest = new TreeMap<>(cards);
        rest.remove(uuid);
        write("once", String.join("\n", rest.values()) + "\n");
    }

    void process(String uuid, long pid, long mib, String program) {
        processes.add("%s, %d, %d, %s".formatted(uuid, pid, mib, program));
        write("processes", String.join("\n", processes) + "\n");
    }

    void noProcesses() {
        processes.clear();
        write("processes", "");
    }

    /** How often it was asked for the cards. */
    long calls() {
        try {
            return Files.readAllLines(folder.resolve("calls")).stream()
                    .filter(line -> line.contains("--query-gpu=index"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException("reading the calls", e);
        }
    }

    private void writeCards() {
        write("cards", String.join("\n", cards.values()) + "\n");
        writeHealth();
        if (!Files.exists(folder.resolve("processes"))) {
            write("processes", "");
        }
    }

    /** At once, so that nobody reads half of it. */
    private void write(String name, String text) {
        try {
            var draft = Files.writeString(folder.resolve(name + ".new"), text);
            Files.move(draft, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("writing " + name, e);
        }
    }
}
