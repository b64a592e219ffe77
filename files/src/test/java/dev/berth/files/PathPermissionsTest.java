package dev.berth.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class PathPermissionsTest {

    private static final int STRANGER = 54_321;

    @TempDir Path root;

    private PathPermissions user;
    private Path above;
    private Path file;

    @BeforeEach
    void makeFile() throws IOException {
        user = PathPermissions.ofThisProcess();
        above = Files.createDirectory(root.resolve("above"));
        file = Files.createFile(above.resolve("script"));
        mode(above, "rwxr-xr-x");
        mode(file, "rw-r--r--");
    }

    @Test
    void ownFilesAndMissingOnesAreFine() throws IOException {
        assertThat(user.weaknessOf(file)).isEmpty();
        assertThat(user.weaknessOf(above.resolve("missing/below"))).isEmpty();
        assertThat(user.weaknessOf(Path.of("/usr/bin/env"))).isEmpty();
    }

    @Test
    void aFileThatOthersMayWriteIsWeak() throws IOException {
        mode(file, "rw-r--rw-");
        var weakness = user.weaknessOf(file).orElseThrow();
        assertThat(weakness.path()).isEqualTo(file.toRealPath());
        assertThat(weakness.describe()).endsWith("has mode 0646");
        assertThat(weakness.remedy("ann")).contains("chmod go-w '" + file.toRealPath() + "'");
    }

    @Test
    void aDirectoryAboveThatOthersMayWriteIsWeak() throws IOException {
        mode(above, "rwxrwxrwx");
        assertThat(user.weaknessOf(file)).isPresent();
        assertThat(user.weaknessOf(above.resolve("missing"))).isPresent();
    }

    @Test
    void entriesOfAStickyDirectoryAreSafeButTheDirectoryIsNotPrivate() throws IOException {
        Files.setAttribute(above, "unix:mode", 01777);
        assertThat(user.weaknessOf(file)).isEmpty();
        assertThat(user.weaknessOfPrivate(above)).isPresent();
        assertThat(user.weaknessOfPrivate(above).orElseThrow().remedy("ann")).isEmpty();
    }

    @Test
    void onlyAPrivateGroupMayWrite() throws IOException {
        mode(file, "rw-rw-r--");
        var group = Files.readAttributes(file, PosixFileAttributes.class).group().getName();
        assertThat(withGroup(group, Set.of()).weaknessOf(file)).isEmpty();
        assertThat(withGroup(group, Set.of(group)).weaknessOf(file)).isEmpty();
        assertThat(withGroup(group, Set.of(group, "bob")).weaknessOf(file)).isPresent();
        var other = new PathPermissions(user.uid(), "ann", user.groups(), Optional.empty());
        Files.setAttribute(file, "unix:mode", 0664);
        assertThat(group.equals("root") || other.weaknessOf(file).isPresent()).isTrue();
    }

    private PathPermissions withGroup(String name, Set<String> members) {
        return new PathPermissions(
                user.uid(), name, new GroupMembers(Map.of(name, members)), Optional.empty());
    }

    @Test
    void filesOfAnotherUserAreWeakAndRootsAreNot() throws IOException {
        assumeTrue(user.uid() == 0, "only root can give files away");
        chown(above, STRANGER);
        assertThat(user.weaknessOf(file).orElseThrow().hasOtherOwner()).isTrue();
        assertThat(user.weaknessOf(file).orElseThrow().remedy("ann"))
                .contains("chown ann '" + above.toRealPath() + "'");
        var stranger = new PathPermissions(STRANGER, "54321", user.groups(), Optional.empty());
        assertThat(stranger.weaknessOf(file)).isEmpty();
        var third = new PathPermissions(12_345, "12345", user.groups(), Optional.empty());
        assertThat(third.weaknessOf(file)).isPresent();
        var inNamespace =
                new PathPermissions(12_345, "12345", user.groups(), Optional.of(STRANGER));
        assertThat(inNamespace.weaknessOf(file)).isEmpty();
    }

    @Test
    void linksAreResolvedAndTheirDirectoriesExamined() throws IOException {
        var open = Files.createDirectory(root.resolve("open"));
        var link = Files.createSymbolicLink(open.resolve("link"), file);
        assertThat(user.weaknessOf(link)).isEmpty();
        mode(open, "rwxrwxrwx");
        assertThat(user.weaknessOf(link).orElseThrow().path()).isEqualTo(open.toRealPath());
        mode(open, "rwxr-xr-x");
        mode(file, "rw-rw-rw-");
        assertThat(user.weaknessOf(link).orElseThrow().path()).isEqualTo(file.toRealPath());
        assertThat(user.weaknessOf(open.resolve("../open/./link"))).isPresent();
    }

    @Test
    void aLinkOfAnotherUserInAStickyDirectoryIsWeak() throws IOException {
        assumeTrue(user.uid() == 0, "only root can give files away");
        var link = Files.createSymbolicLink(root.resolve("link"), file);
        Files.setAttribute(root, "unix:mode", 01777);
        Files.setAttribute(link, "unix:uid", STRANGER, LinkOption.NOFOLLOW_LINKS);
        assertThat(user.weaknessOf(link).orElseThrow().path()).isEqualTo(link);
    }

    @Test
    void aLinkToItselfIsReported() throws IOException {
        var loop = Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
        assertThatThrownBy(() -> user.weaknessOf(loop)).isInstanceOf(FileSystemLoopException.class);
    }

    private static void chown(Path path, int uid) throws IOException {
        Files.setAttribute(path, "unix:uid", uid);
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
}
