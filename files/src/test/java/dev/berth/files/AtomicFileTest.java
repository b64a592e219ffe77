package dev.berth.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

class AtomicFileTest {

    @TempDir Path directory;

    private Path file() {
        return directory.resolve("state");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void aNewFileIsForItsOwnerOnly() throws Exception {
        AtomicFile.replace(file(), bytes("new"));

        assertThat(file()).hasContent("new");
        assertThat(mode(file())).isEqualTo("rw-------");
        assertThat(directory).isDirectoryNotContaining("glob:**.tmp");
    }

    @Test
    void keepsThePermissionsOfTheOldFile() throws Exception {
        Files.writeString(file(), "old");
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));

        AtomicFile.replace(file(), bytes("new"));

        assertThat(file()).hasContent("new");
        assertThat(mode(file())).isEqualTo("rw-r--r--");
    }

    @Test
    void anExecutableGetsItsOwnPermissions() throws Exception {
        Files.writeString(file(), "old");
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));

        AtomicFile.replace(file(), bytes("new"), AtomicFile.Options.EXECUTABLE);

        assertThat(mode(file())).isEqualTo("rwx------");
    }

    @Test
    void aLinkUnderTheFixedNameIsNotFollowed() throws Exception {
        var elsewhere = Files.writeString(directory.resolve("elsewhere"), "mine");
        Files.createSymbolicLink(directory.resolve("state.new"), elsewhere);

        AtomicFile.replace(file(), bytes("new"), AtomicFile.Options.unsynced("state.new"));

        assertThat(elsewhere).hasContent("mine");
        assertThat(file()).isRegularFile().hasContent("new");
        assertThat(directory.resolve("state.new")).doesNotExist();
    }

    @Test
    void aDraftThatIsNotCommittedLeavesNothing() throws Exception {
        Files.writeString(file(), "old");

        try (var draft =
                AtomicFile.draft(file(), bytes("new"), AtomicFile.Options.unsynced("state.new"))) {
            assertThat(draft).isNotNull();
            assertThat(directory.resolve("state.new")).hasContent("new");
        }

        assertThat(file()).hasContent("old");
        assertThat(directory.resolve("state.new")).doesNotExist();
    }

    @Test
    void aFailedReplacementLeavesNoTemporaryFile() throws Exception {
        Files.createDirectory(file());
        Files.writeString(file().resolve("child"), "in the way");

        assertThatThrownBy(() -> AtomicFile.replace(file(), bytes("new")))
                .isInstanceOf(IOException.class);

        assertThat(directory).isDirectoryNotContaining("glob:**.tmp");
    }

    @Test
    void createsWithExactPermissionsAndNeverOverAnotherFile() throws Exception {
        var permissions = PosixFilePermissions.fromString("rw-rw-rw-");

        AtomicFile.create(file(), bytes("first"), permissions, true);

        assertThat(mode(file())).isEqualTo("rw-rw-rw-");
        assertThatThrownBy(() -> AtomicFile.create(file(), bytes("second"), permissions, false))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(file()).hasContent("first");
    }

    @Test
    void replacesALink() throws Exception {
        var link = Files.createSymbolicLink(directory.resolve("latest"), Path.of("attempts/1"));
        Files.createSymbolicLink(directory.resolve(".latest.2"), Path.of("left by a crash"));

        AtomicFile.replaceLink(link, Path.of("attempts/2"), ".latest.2");

        assertThat(Files.readSymbolicLink(link)).isEqualTo(Path.of("attempts/2"));
        assertThat(Files.isSymbolicLink(directory.resolve(".latest.2"))).isFalse();
    }

    @Test
    void renamesDurably() throws Exception {
        var complete = Files.writeString(directory.resolve("complete"), "new");
        Files.writeString(file(), "old");

        AtomicFile.renameDurably(complete, file());

        assertThat(file()).hasContent("new");
        assertThat(complete).doesNotExist();
        assertThatThrownBy(() -> AtomicFile.rename(complete, file()))
                .isInstanceOf(NoSuchFileException.class);
    }
}
