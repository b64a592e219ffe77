package dev.berth.node.shim;

import dev.berth.core.task.AttemptId;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/** {@code tasks/task_7/attempts/1}: nobody else's to read, and every name in it is Berth's own. */
public record AttemptDirectory(Path path) {
    private static final FileAttribute<Set<PosixFilePermission>> OWNERS_DIRECTORY =
            mode("rwx------");
    private static final FileAttribute<Set<PosixFilePermission>> OWNERS_FILE = mode("rw-------");

    /** What a task's folder shows of its latest attempt. */
    private static final List<String> SHOWN =
            List.of("command.sh", "run.sh", "tmux.log", "exit_code");

    public static AttemptDirectory of(Path tasks, AttemptId id) {
        return new AttemptDirectory(
                TaskFolders.folder(tasks, id.task())
                        .resolve("attempts")
                        .resolve(Integer.toString(id.number())));
    }

    /** Makes the directory itself, where it is missing. */
    public void create() throws IOException {
        // From the top: as a rule all three are missing, and each vain try costs an exception.
        for (var directory :
                List.of(path.resolve("../..").normalize(), path.resolve("..").normalize(), path)) {
            createDirectories(directory);
        }
    }

    /** Writes everything the shim needs. This grants nothing: the right to start is {@code go}. */
    public void prepare(ShimScript script, ShimOrder order) throws IOException {
        create();
        write(runScript(), script.run(order, this));
        write(commandScript(), script.command(order));
        write(pendingRecord(), ExitRecord.placeholder());
    }

    /** Makes the task's folder show this attempt. */
    public void publish() throws IOException {
        for (var name : SHOWN) {
            var link = path.resolve("../..").normalize().resolve(name);
            var target = Path.of("attempts", path.getFileName().toString(), name);
            try {
                Files.createSymbolicLink(link, target);
            } catch (FileAlreadyExistsException earlier) {
                replace(link, target);
            }
        }
    }

    /** At every moment the name leads to the one or the other. */
    private void replace(Path link, Path target) throws IOException {
        var fresh = link.resolveSibling("." + link.getFileName() + "." + path.getFileName());
        Files.deleteIfExists(fresh);
        Files.createSymbolicLink(fresh, target);
        Files.move(fresh, link, StandardCopyOption.ATOMIC_MOVE);
    }

    public Path runScript() {
        return path.resolve("run.sh");
    }

    public Path commandScript() {
        return path.resolve("command.sh");
    }

    public Path log() {
        return path.resolve("tmux.log");
    }

    public Path go() {
        return path.resolve("go");
    }

    public Path record() {
        return path.resolve("exit_code");
    }

    /** The exit record before it is one; it is written here first. */
    public Path pendingRecord() {
        return path.resolve("exit_code.pending");
    }

    /** What it has made of its cards, for the next server. */
    public Path consumption() {
        return path.resolve("consumption");
    }

    private static void createDirectories(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, OWNERS_DIRECTORY);
        } catch (FileAlreadyExistsException there) {
            if (!Files.isDirectory(directory)) {
                throw there;
            }
        } catch (NoSuchFileException noParent) {
            var parent = directory.getParent();
            if (parent == null) {
                throw noParent;
            }
            createDirectories(parent);
            Files.createDirectory(directory, OWNERS_DIRECTORY);
        }
    }

    /**
     * A file that is there already was written for the same attempt by a server that was killed
     * then.
     */
    static void write(Path file, String text) throws IOException {
        var options =
                Set.of(
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING);
        try (var channel = Files.newByteChannel(file, options, OWNERS_FILE)) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /** False where a file of that name is there already. */
    static boolean create(Path file, String text) throws IOException {
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (var channel = Files.newByteChannel(file, options, OWNERS_FILE)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            return true;
        } catch (FileAlreadyExistsException there) {
            return false;
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> mode(String mode) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }
}
