package dev.berth.node.gpu;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

class KernelLogTest {

    private static final String FALLEN =
            "NVRM: Xid (PCI:0000:06:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off"
                    + " the bus.";

    @TempDir private Path folder;
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final XidListener ear =
            new XidListener() {
                @Override
                public void onXid(String uuid, int number) {
                    heard.add(number + " of " + uuid);
                }

                @Override
                public void onXid(PciAddress place, int number) {
                    heard.add(number + " at " + place);
                }
            };

    @ParameterizedTest
    @ValueSource(
            strings = {
                FALLEN,
                "4,1834,5140900210,-;" + FALLEN,
                "[ 5140.900210] " + FALLEN,
                "Jan 11 10:01:07 dgx kernel: [ 5140.900210] " + FALLEN,
                "2026-01-11T10:01:07.123456+01:00 dgx kernel: " + FALLEN,
                "NVRM: Xid (PCI:00000000:06:00.0): 79",
                "NVRM: Xid (0000:06:00): 79, GPU has fallen off the bus.",
            })
    void readsXidsInEveryLogFormat(String line) {
        KernelLog.read(line, ear);
        assertThat(heard).containsExactly("79 at 0000:06:00");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "usb 1-1: Product: " + FALLEN,
                "python[7]: " + FALLEN,
                "NVRM: GPU at PCI:0000:06:00: GPU-7",
                "NVRM: Xid (PCI:nowhere): 79",
                "NVRM: Xid (PCI:0000:06:00): 99999, what",
            })
    void forgedLogLinesAreIgnored(String line) {
        KernelLog.read(line, ear);
        assertThat(heard).isEmpty();
    }

    @Test
    void aFileIsFollowedFromItsEndAndIntoTheNextOne() throws IOException {
        var file = Files.writeString(folder.resolve("kern.log"), FALLEN + "\n");
        var log = KernelLog.follow(file, ear).orElseThrow();
        try {
            append(file, "NVRM: Xid (PCI:0000:06");
            append(file, ":00): 48, more\n" + "x".repeat(40_000) + "\n");
            eventually("it is heard", () -> heard.equals(List.of("48 at 0000:06:00")));
            Files.move(file, folder.resolve("kern.log.1"));
            Files.writeString(file, "NVRM: Xid (PCI:0000:07:00): 95\n");
            eventually("the new one, too", () -> heard.contains("95 at 0000:07:00"));
            Files.writeString(file, "NVRM: Xid (PCI:0000:08:00): 94\n");
            Files.writeString(file, "");
            append(file, "NVRM: Xid (PCI:0000:09:00): 1\n");
            eventually("after it was emptied", () -> heard.contains("1 at 0000:09:00"));
        } finally {
            log.close();
        }
    }

    @Test
    void aTemporarilyUnreadableLogIsReadAgain() throws IOException {
        var file = Files.writeString(folder.resolve("kern.log"), "");
        var log = KernelLog.follow(file, ear).orElseThrow();
        try {
            Files.move(file, folder.resolve("kern.log.1"));
            Files.createDirectory(file);
            eventually("the old one is let go", () -> !isOpen("kern.log.1"));
            Files.delete(file);
            Files.writeString(file, "NVRM: Xid (PCI:0000:07:00): 95\n");
            eventually("the next is read", () -> heard.equals(List.of("95 at 0000:07:00")));
        } finally {
            log.close();
        }
        eventually("none is open", () -> !isOpen("kern.log"));
    }

    @Test
    void anUnreadableLogReportsNothing() {
        assertThat(KernelLog.follow(folder.resolve("none"), ear)).isEmpty();
    }

    private boolean isOpen(String name) {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.anyMatch(each -> leadsTo(each, folder.resolve(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean leadsTo(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith(file.toString());
        } catch (IOException _) {
            return false;
        }
    }

    private static void append(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }
}
