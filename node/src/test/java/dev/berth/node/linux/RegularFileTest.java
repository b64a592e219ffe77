package dev.berth.node.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;

class RegularFileTest {
    private static final int MIB = 1024 * 1024;

    @TempDir Path directory;

    @Test
    void aHoleUsesNoSpaceAndKeepsOffsets() throws IOException {
        var bytes = new byte[8 * MIB];
        Arrays.fill(bytes, (byte) 'x');
        var path = Files.write(directory.resolve("file"), bytes);
        try (var file = RegularFile.openForWriting(path)) {
            assertThat(file.extent().allocated()).isGreaterThanOrEqualTo(8 * MIB);
            file.punchHole(MIB, 6 * MIB);

            assertThat(file.extent().size()).isEqualTo(8 * MIB);
            assertThat(file.extent().allocated()).isBetween(2L * MIB, 3L * MIB);
        }
        var after = Files.readAllBytes(path);
        assertThat(after[MIB - 1]).isEqualTo((byte) 'x');
        assertThat(after[MIB]).isZero();
        assertThat(after[7 * MIB]).isEqualTo((byte) 'x');
    }

    @Test
    void failuresNameTheCallAndTheReason() {
        assertThatThrownBy(() -> RegularFile.openForWriting(Path.of("/nowhere/file")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage("/nowhere/file");
        assertThatThrownBy(() -> RegularFile.open(Path.of("/proc/self/stat/x")))
                .isInstanceOf(ErrnoException.class)
                .hasMessage("open /proc/self/stat/x: Not a directory (errno 20)");
    }

    @Test
    void listsNumbersWithTheInodesThatTheFileSystemKnows() throws IOException {
        var entries = new HashMap<Long, Long>();
        for (var name : new String[] {"7", "12", "12x", "x", "0012345678901"}) {
            Files.createFile(directory.resolve(name));
        }
        NumberedEntries.list(directory.toString(), entries::put);

        assertThat(entries).containsOnlyKeys(7L, 12L, 12345678901L);
        assertThat(entries.get(7L))
                .isEqualTo(Files.getAttribute(directory.resolve("7"), "unix:ino"));
    }

    @Test
    void readsSmallFiles() throws IOException {
        var path = Files.writeString(directory.resolve("file"), "hello");

        assertThat(SmallFile.read(path.toString(), 100)).asString().isEqualTo("hello");
        assertThat(SmallFile.read(path.toString(), 2)).asString().isEqualTo("he");
        assertThatThrownBy(() -> SmallFile.read(directory.toString(), 10))
                .hasMessageContaining("Is a directory");
    }
}
