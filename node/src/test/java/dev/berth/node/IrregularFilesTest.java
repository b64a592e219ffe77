package dev.berth.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.linux.RegularFile.NotRegularFileException;
import dev.berth.node.log.LogEndText;
import dev.berth.node.log.LogSlice;
import dev.berth.node.log.LogTail;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;
import dev.berth.port.read.TaskLogs.LogPart;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a task may put in place of the files in its attempt directory. */
@Timeout(60)
class IrregularFilesTest {

    @TempDir Path path;

    enum Kind {
        FIFO,
        DIRECTORY,
        LINK,
        LINK_TO_ENDLESS_FILE,
        DEVICE,
        SOCKET
    }

    @Test
    void aGoOfAnotherKindIsDamaged() throws Exception {
        for (var kind : Kind.values()) {
            var directory = new AttemptDirectory(directory(kind));
            put(kind, directory.go());
            assertThat(GoFile.read(directory.go())).isEqualTo(new GoFile.Damaged());
            assertThat(GoFile.writeTombstone(directory.go()))
                    .as("another process has it")
                    .isFalse();
        }
    }

    @Test
    void anExitRecordOfAnotherKindIsNone() throws Exception {
        for (var kind : Kind.values()) {
            var directory = new AttemptDirectory(directory(kind));
            put(kind, directory.exitRecord());
            assertThat(ExitRecord.read(directory)).isEqualTo(new ExitRecord.Absent());
            Files.writeString(directory.pendingExitRecord(), "7" + " ".repeat(62) + "\n");
            assertThat(ExitRecord.read(directory)).isEqualTo(new ExitRecord.Code(7));
            Files.delete(directory.pendingExitRecord());
            put(kind, directory.pendingExitRecord());
            assertThat(ExitRecord.read(directory)).isEqualTo(new ExitRecord.Absent());
        }
    }

    @Test
    void aLogOfAnotherKindIsAnErrorForReadersAndEmptyForSearches() throws Exception {
        for (var kind : Kind.values()) {
            var log = new AttemptDirectory(directory(kind)).log();
            put(kind, log);
            assertThatThrownBy(() -> LogTail.read(log, LogPart.WHOLE, 10))
                    .isInstanceOf(NotRegularFileException.class);
            assertThatThrownBy(() -> LogSlice.read(log, LogPart.WHOLE, 0, true))
                    .isInstanceOf(NotRegularFileException.class);
            assertThat(LogEndText.read(log, 0, 100).text()).isEmpty();
            assertThat(LogEndText.sizeOf(log)).isZero();
        }
    }

    @Test
    void aGapListOfAnotherKindIsEmpty() throws Exception {
        for (var kind : Kind.values()) {
            var log = Files.writeString(new AttemptDirectory(directory(kind)).log(), "text\n");
            put(kind, log.resolveSibling("tmux.log.gaps"));
            assertThat(LogTail.read(log, LogPart.WHOLE, 10).lines()).containsExactly("text");
        }
    }

    @Test
    void hugeFilesAreReadInPart() throws IOException {
        var directory = new AttemptDirectory(path);
        for (var file :
                new Path[] {
                    directory.go(),
                    directory.exitRecord(),
                    directory.pendingExitRecord(),
                    directory.log().resolveSibling("tmux.log.gaps")
                }) {
            try (var huge = new RandomAccessFile(file.toFile(), "rw")) {
                huge.setLength(1L << 40);
            }
        }
        Files.writeString(directory.log(), "text\n");
        assertThat(GoFile.read(directory.go())).isEqualTo(new GoFile.Damaged());
        assertThat(ExitRecord.read(directory)).isEqualTo(new ExitRecord.Absent());
        assertThat(LogTail.read(directory.log(), LogPart.WHOLE, 10).lines())
                .containsExactly("text");
    }

    private Path directory(Kind kind) throws IOException {
        return Files.createDirectory(path.resolve(kind.name()));
    }

    private static void put(Kind kind, Path file) throws Exception {
        switch (kind) {
            case FIFO -> run("mkfifo", file.toString());
            case DIRECTORY -> Files.createDirectory(file);
            case LINK ->
                    Files.createSymbolicLink(
                            file,
                            Files.writeString(
                                    file.resolveSibling(file.getFileName() + ".t"), "0\n"));
            case LINK_TO_ENDLESS_FILE -> Files.createSymbolicLink(file, Path.of("/dev/zero"));
            // Without the right to make devices, another FIFO.
            case DEVICE -> {
                if (run("mknod", file.toString(), "c", "1", "5") != 0) {
                    put(Kind.FIFO, file);
                }
            }
            case SOCKET -> {
                try (var socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                    socket.bind(UnixDomainSocketAddress.of(file));
                }
            }
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).start().waitFor();
    }
}
