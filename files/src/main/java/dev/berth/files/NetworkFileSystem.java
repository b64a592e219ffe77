package dev.berth.files;

import java.util.Locale;
import java.util.Set;

/** File systems that need another machine to answer. */
public final class NetworkFileSystem {

    /**
     * File system types as the kernel names them, without the prefix {@code fuse.} of those in user
     * space.
     */
    private static final Set<String> REMOTE =
            Set.of(
                    "9p",
                    "acfs",
                    "afs",
                    "beegfs",
                    "beegfs-ondemand",
                    "ceph",
                    "ceph-fuse",
                    "cephfs",
                    "cifs",
                    "coda",
                    "curlftpfs",
                    "davfs",
                    "davfs2",
                    "gcsfuse",
                    "gfs2",
                    "glusterfs",
                    "gpfs",
                    "gvfsd-fuse",
                    "juicefs",
                    "lizardfs",
                    "lustre",
                    "mfs",
                    "moosefs",
                    "ncpfs",
                    "nfs",
                    "nfs3",
                    "nfs4",
                    "ocfs2",
                    "orangefs",
                    "panfs",
                    "pvfs2",
                    "quobyte",
                    "rclone",
                    "s3fs",
                    "seaweedfs",
                    "smb2",
                    "smb3",
                    "smbfs",
                    "smbnetfs",
                    "sshfs",
                    "wekafs");

    private NetworkFileSystem() {}

    /**
     * @param type as the kernel names it
     */
    public static boolean isRemote(String type) {
        var lower = type.toLowerCase(Locale.ROOT);
        return REMOTE.contains(
                lower.startsWith("fuse.") ? lower.substring("fuse.".length()) : lower);
    }
}
