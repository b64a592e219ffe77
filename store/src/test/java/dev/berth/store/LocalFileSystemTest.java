package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.files.NetworkFileSystem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class LocalFileSystemTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nfs",
                "nfs4",
                "NFS4",
                "cifs",
                "smb3",
                "smbfs",
                "9p",
                "afs",
                "lustre",
                "ceph",
                "beegfs",
                "gpfs",
                "glusterfs",
                "fuse.glusterfs",
                "fuse.sshfs",
                "fuse.ceph-fuse",
                "fuse.juicefs",
                "fuse.rclone"
            })
    void networkFileSystemsAreRefused(String type) {
        assertThat(NetworkFileSystem.isRemote(type)).isTrue();
        assertThat(LocalFileSystem.refusal(Path.of("/lab/alice/.berth"), type))
                .hasValueSatisfying(
                        why ->
                                assertThat(why)
                                        .contains("/lab/alice/.berth", type, "--home /")
                                        .doesNotContain("\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ext4",
                "xfs",
                "btrfs",
                "zfs",
                "tmpfs",
                "overlay",
                "fuseblk",
                "fuse.mergerfs",
                "f2fs",
                ""
            })
    void localFileSystemsAreAccepted(String type) {
        assertThat(NetworkFileSystem.isRemote(type)).isFalse();
        assertThat(LocalFileSystem.refusal(Path.of("/home/alice/.berth"), type)).isEmpty();
    }

    @Test
    void aMissingHomeIsJudgedByItsParent(@TempDir Path place) throws Exception {
        LocalFileSystem.require(place.resolve("not/yet/there"));
    }
}
