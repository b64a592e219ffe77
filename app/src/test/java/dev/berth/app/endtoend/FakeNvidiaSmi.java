package dev.berth.app.endtoend;

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

/** A replacement for {@code nvidia-smi} that prints what the test sets and records its calls. */
final class FakeNvidiaSmi {

    static final String A = "GPU-aaaaaaaa-0000-0000-0000-000000000000";
    static final String B = "GPU-bbbbbbbb-0000-0000-0000-000000000000";

    /** The values of a GPU in MiB, percent and degrees. */
    record GpuOutput(int index, long total, long free, int utilization, int celsius) {}

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

    FakeNvidiaSmi(ServerHarness harness) {
        this.folder = harness.file("smi");
        try {
            Files.createDirectory(folder);
            Script.write(folder.resolve("nvidia-smi"), SCRIPT.formatted(folder));
        } catch (IOException e) {
            throw new UncheckedIOException("making " + folder, e);
        }
        setMode("ok");
        addGpu(A, 0, "0");
        addGpu(B, 1, "0");
        write("kern.log", "");
        harness.env("BERTH_NVIDIA_SMI_PATH", folder.resolve("nvidia-smi").toString())
                .env("BERTH_KERNEL_LOG_PATH", folder.resolve("kern.log").toString())
                // No real GPU has these names.
                .env("BERTH_GPU_TEST_COMMAND", "true")
                .options("--gpus", "auto", "--auth", "none");
    }

    /** {@code ok}, {@code fail}, {@code hang} or {@code garbage}. */
    void setMode(String mode) {
        write("mode", mode);
    }

    /**
     * A GPU of 100,000 MiB with this much in use; text that is not a number is printed unchanged.
     */
    void addGpu(String uuid, int index, String used) {
        var free = used.matches("\\d+") ? Long.toString(100_000 - Long.parseLong(used)) : used;
        addGpu(uuid, index, "Fake 100G", used + ", " + free);
    }

    void addGpu(String uuid, int index, String model, String usedAndFree) {
        cards.put(
                uuid,
                "%d, %s, %s, 100000, %s, 7, 41, Disabled"
                        .formatted(index, uuid, model, usedAndFree));
        writeCards();
    }

    void addGpu(GpuOutput card) {
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

    /** The UUIDs of the GPUs A, B, … by their first indices. */
    private static String uuid(int index) {
        return A.replace('a', (char) ('a' + index));
    }

    /** The driver lists the GPU and cannot read it. */
    void addUnreadable(String uuid, int index, String word) {
        addGpu(uuid, index, word);
    }

    /** The number of uncorrectable memory errors in the health query. */
    void setUncorrectedErrors(String uuid, long count) {
        errors.put(uuid, count);
        writeHealth();
    }

    /** The kernel logs an Xid error of this GPU. */
    void logXid(String uuid, int number) {
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

    /** The PCI address of a GPU stays the same when its index changes. */
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

    void removeGpu(String uuid) {
        cards.remove(uuid);
        writeCards();
    }

    /** Only the next output omits this GPU. */
    void removeGpuOnce(String uuid) {
        var rest = new TreeMap<>(cards);
        rest.remove(uuid);
        write("once", String.join("\n", rest.values()) + "\n");
    }

    void addProcess(String uuid, long pid, long mib, String program) {
        processes.add("%s, %d, %d, %s".formatted(uuid, pid, mib, program));
        write("processes", String.join("\n", processes) + "\n");
    }

    void clearProcesses() {
        processes.clear();
        write("processes", "");
    }

    /** How often the GPUs were queried. */
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

    /** Atomic, so that no reader gets half of it. */
    private void write(String name, String text) {
        try {
            var draft = Files.writeString(folder.resolve(name + ".new"), text);
            Files.move(draft, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("writing " + name, e);
        }
    }
}
