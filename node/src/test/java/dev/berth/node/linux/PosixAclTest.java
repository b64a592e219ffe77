package dev.berth.node.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

class PosixAclTest {

    private static final int NOBODY = 65_534;

    @TempDir Path directory;

    @Test
    void aListGivesOneFurtherUserItsRights() throws IOException {
        var file = Files.createFile(directory.resolve("f"));
        assertThat(PosixAcl.read(file)).isEmpty();
        set(new PosixAcl(NOBODY, PosixAcl.READ | PosixAcl.WRITE), file, false);

        assertThat(PosixAcl.read(file))
                .contains(new PosixAcl(NOBODY, PosixAcl.READ | PosixAcl.WRITE));
        assertThat(mode(file)).as("the mask, and nothing for others").isEqualTo("rw-rw----");
        set(new PosixAcl(NOBODY, PosixAcl.READ), file, false);
        assertThat(mode(file)).isEqualTo("rw-r-----");
    }

    @Test
    void aDirectoryCanBePassedThrough() throws IOException {
        var sub = Files.createDirectory(directory.resolve("d"));
        set(new PosixAcl(NOBODY, PosixAcl.EXECUTE), sub, true);

        assertThat(mode(sub)).isEqualTo("rwx--x---");
    }

    private static void set(PosixAcl acl, Path path, boolean isDirectory) throws IOException {
        try {
            acl.set(path, isDirectory);
        } catch (ErrnoException refused) {
            assumeTrue(
                    refused.errno() != ErrnoException.EOPNOTSUPP,
                    "this file system has no access control lists");
            throw refused;
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
