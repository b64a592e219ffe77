package dev.berth.node;

import dev.berth.node.linux.ErrnoException;
import dev.berth.node.linux.PosixAcl;
import dev.berth.node.process.Proc;
import dev.berth.node.process.UserSwitch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Prepares the directory of tasks for tasks that run as their owners. */
public final class OwnerFiles {

    /** Owners reach their own task's directory by its name, and can list none. */
    private static final String MODE = "rwx--x--x";

    private static final int NOBODY = 65_534;

    private OwnerFiles() {}

    /**
     * @throws IOException with what to do, if tasks cannot run as their owners here
     */
    static void prepare(Path tasks) throws IOException {
        if (Proc.userIdOfThisProcess() != 0) {
            throw new IOException("only root can run tasks as their owners");
        }
        UserSwitch.requireProgram();
        open(tasks);
    }

    /** Lets owners reach the directories of their own tasks, if they know their names. */
    public static void open(Path tasks) throws IOException {
        Files.setPosixFilePermissions(tasks, PosixFilePermissions.fromString(MODE));
        requireAcls(tasks);
    }

    private static void requireAcls(Path tasks) throws IOException {
        var probe = Files.createTempFile(tasks, ".acl-", ".tmp");
        try {
            new PosixAcl(NOBODY, PosixAcl.READ).set(probe, false);
        } catch (ErrnoException refused) {
            if (refused.errno() == ErrnoException.EOPNOTSUPP) {
                throw new IOException(
                        "the file system of "
                                + tasks
                                + " has no access control lists, which tasks of several users"
                                + " need; use a directory on ext4, xfs or btrfs (with the mount"
                                + " option acl)",
                        refused);
            }
            throw refused;
        } finally {
            Files.deleteIfExists(probe);
        }
    }
}
