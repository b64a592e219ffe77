package dev.berth.node.shim;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.files.AtomicFile;
import dev.berth.node.linux.Fifo;
import dev.berth.node.linux.PosixAcl;
import dev.berth.node.linux.RegularFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The directory {@code tasks/task_7/attempts/1}. Only the server's user may read it, and Berth
 * chooses every name in it. Where a task runs as its owner, access control lists give the owner its
 * log and its exit code; the owner can create, replace and remove nothing.
 */
public record AttemptDirectory(Path path) {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_DIRECTORY =
            mode("rwx------");
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FILE =
            mode("rw-------");

    /** The group bits are the mask of the access control list. */
    private static final int STICKY = 01770;

    private static final int HEAD_BYTES = 512;

    /** The files of the latest attempt that are linked in the task's directory. */
    private static final List<String> LINKED =
            List.of("command.sh", "run.sh", "tmux.log", "exit_code");

    /**
     * The directory of a new attempt, or of one that has ended: after a while the files of a task's
     * only attempt are in the task's own directory.
     */
    public static AttemptDirectory find(Path tasks, AttemptId id) {
        var task = TaskFolder.of(tasks, id.task());
        return id.number() == 1 && task.isFolded()
                ? new AttemptDirectory(task.path())
                : of(tasks, id);
    }

    public static AttemptDirectory of(Path tasks, AttemptId id) {
        return new AttemptDirectory(
                TaskDirectories.directory(tasks, id.task())
                        .resolve("attempts")
                        .resolve(Integer.toString(id.number())));
    }

    private boolean isFolded() {
        return path.getFileName().toString().startsWith("task_");
    }

    /**
     * Creates the directory and its parents if they are missing.
     *
     * @return false if it existed before
     */
    public boolean create() throws IOException {
        boolean isNew = false;
        if (!isFolded()) {
            // From the top, because usually all three are missing, and every failing attempt to
            // create one costs an exception.
            for (var directory : levels()) {
                isNew = createDirectories(directory);
            }
        }
        return isNew;
    }

    /**
     * Creates a new directory with all its files, which are empty, and links them.
     *
     * @param other the directory of another task with the same links: these get a further name,
     *     which needs no inode
     */
    void createEmpty(Optional<Path> other) throws IOException {
        create();
        for (var file : List.of(runScript(), commandScript(), log(), pendingGo())) {
            write(file, "");
        }
        write(pendingExitRecord(), ExitRecord.placeholder());
        if (other.isEmpty() || !shareLinks(other.get())) {
            linkLatest();
        }
    }

    /** False if that is impossible: some file systems limit how many names a file has. */
    private boolean shareLinks(Path other) {
        var task = taskDirectory();
        try {
            for (var name : LINKED) {
                Files.createLink(task.resolve(name), other.resolve(name));
            }
            return true;
        } catch (IOException | UnsupportedOperationException refused) {
            return false;
        }
    }

    /** True if all that {@link #createEmpty} created and an attempt needs is there. */
    boolean isComplete() {
        var task = taskDirectory();
        return Stream.of(runScript(), commandScript(), log(), pendingExitRecord())
                        .allMatch(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                && LINKED.stream().allMatch(name -> Files.isSymbolicLink(task.resolve(name)));
    }

    /** Creates the directory and fills it. */
    public void prepare(ShimScript script, ShimParameters parameters, ShimProgram program)
            throws IOException {
        create();
        fill(script, parameters, program, false);
    }

    /** The same with given texts. */
    public void prepare(String runScript, String commandScript) throws IOException {
        create();
        fill(runScript, commandScript, false);
    }

    /**
     * Writes everything that the shim needs. Only {@code go} gives the right to start, so this
     * starts nothing.
     *
     * @param isSpare it has all its files already
     */
    public void fill(
            ShimScript script, ShimParameters parameters, ShimProgram program, boolean isSpare)
            throws IOException {
        fill(
                script.runScript(parameters, this, program),
                script.commandScript(parameters, program),
                isSpare);
        if (isSpare && !program.isNative()) {
            Files.deleteIfExists(pendingGo());
        }
        if (parameters.owner().isPresent()) {
            openFor(parameters.owner().get().uid(), program);
        }
    }

    private void fill(String runScript, String commandScript, boolean isSpare) throws IOException {
        if (isFolded()) {
            throw new IOException(path + " holds an attempt that has ended already");
        }
        if (isSpare) {
            writeInto(runScript(), runScript, StandardOpenOption.WRITE);
            writeInto(commandScript(), commandScript, StandardOpenOption.WRITE);
            return;
        }
        write(runScript(), runScript);
        write(commandScript(), commandScript);
        write(pendingExitRecord(), ExitRecord.placeholder());
        createLog();
    }

    /**
     * Gives the owner of the command what it needs: its log, its exit code, and the way there. The
     * native shim renames the record; bash writes the exit code to another file, which is empty
     * until then.
     */
    private void openFor(int uid, ShimProgram program) throws IOException {
        openLogFor(uid, PosixAcl.READ | PosixAcl.WRITE);
        if (program.isNative()) {
            new PosixAcl(uid, PosixAcl.READ).set(pendingExitRecord(), false);
        } else {
            write(exitRecord(), "");
            new PosixAcl(uid, PosixAcl.READ).set(exitRecord(), false);
            Fifo.create(path.resolve("command.end"));
        }
    }

    /**
     * Gives the owner what its own shim needs, where that is a process of the owner: to create
     * {@code go} here, and to write the exit record. What this process creates, the owner can
     * neither replace nor remove.
     */
    public void openForShim(int uid) throws IOException {
        openLogFor(uid, PosixAcl.READ | PosixAcl.WRITE);
        new PosixAcl(uid, PosixAcl.READ).set(runScript(), false);
        new PosixAcl(uid, PosixAcl.READ).set(commandScript(), false);
        new PosixAcl(uid, PosixAcl.READ | PosixAcl.WRITE).set(pendingExitRecord(), false);
        var end = path.resolve("command.end");
        Files.deleteIfExists(end);
        Fifo.create(end);
        new PosixAcl(uid, PosixAcl.READ | PosixAcl.WRITE).set(end, false);
        new PosixAcl(uid, PosixAcl.READ | PosixAcl.WRITE | PosixAcl.EXECUTE).set(path, true);
        Files.setAttribute(path, "unix:mode", STICKY);
    }

    /** Writes a further file, which a user may read if one is named. */
    public Path write(String name, String text, OptionalInt reader) throws IOException {
        var file = path.resolve(name);
        write(file, text);
        if (reader.isPresent()) {
            new PosixAcl(reader.getAsInt(), PosixAcl.READ).set(file, false);
        }
        return file;
    }

    /** Gives a user these rights on the log, which is created if it is missing. */
    public void openLogFor(int uid, int rights) throws IOException {
        for (var directory : levels()) {
            new PosixAcl(uid, PosixAcl.EXECUTE).set(directory, true);
        }
        var _ = create(log(), "");
        new PosixAcl(uid, rights).set(log(), false);
    }

    /** The directories of the task, of its attempts, and of this attempt. */
    private List<Path> levels() {
        return List.of(taskDirectory(), path.resolve("..").normalize(), path);
    }

    /**
     * Removes the files of an attempt that no process uses, so that repeated tries on a full disk
     * do not fill it further. What cannot be removed stays.
     */
    public void removeUnused() {
        try (var files = Files.list(path)) {
            for (var file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(path);
        } catch (IOException | UncheckedIOException ignored) {
            // The next attempt has a directory of its own.
        }
    }

    /** Links the files of this attempt into the task's directory. */
    public void linkLatest() throws IOException {
        if (isFolded()) {
            return;
        }
        for (var name : LINKED) {
            var link = taskDirectory().resolve(name);
            var target = Path.of("attempts", path.getFileName().toString(), name);
            try {
                Files.createSymbolicLink(link, target);
            } catch (FileAlreadyExistsException earlier) {
                AtomicFile.replaceLink(link, target, "." + name + "." + path.getFileName());
            }
        }
    }

    private Path taskDirectory() {
        return path.resolve("../..").normalize();
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

    /** An empty file, which the native shim renames to {@code go}. Without it, it creates one. */
    private Path pendingGo() {
        return path.resolve("go.pending");
    }

    public Path exitRecord() {
        return path.resolve("exit_code");
    }

    /** The shim writes its exit record here first. */
    public Path pendingExitRecord() {
        return path.resolve("exit_code.pending");
    }

    /**
     * The uid of the account that the command runs as, by {@code run.sh}, which only this process
     * can write; empty if it is this process's own, or the file is missing.
     */
    public OptionalInt ownerUid() throws IOException {
        try {
            var head = RegularFile.readStart(runScript(), HEAD_BYTES);
            return ShimScript.ownerUid(new String(head, StandardCharsets.UTF_8));
        } catch (NoSuchFileException | RegularFile.NotRegularFileException none) {
            return OptionalInt.empty();
        }
    }

    /** False if this process runs the script of another home, of which this one is a copy. */
    public boolean isOwnShim(ProcessKey shim) {
        return ShimDescriptor.of(shim).scriptOfOtherHome(runScript()).isEmpty();
    }

    /** GPU use of the attempt up to now, for the next server. */
    public Path gpuUseFile() {
        return path.resolve("consumption");
    }

    /** False if it existed before. */
    private static boolean createDirectories(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, OWNER_ONLY_DIRECTORY);
            return true;
        } catch (FileAlreadyExistsException existing) {
            if (!Files.isDirectory(directory)) {
                throw existing;
            }
            return false;
        } catch (NoSuchFileException noParent) {
            var parent = directory.getParent();
            if (parent == null) {
                throw noParent;
            }
            createDirectories(parent);
            Files.createDirectory(directory, OWNER_ONLY_DIRECTORY);
            return true;
        }
    }

    /**
     * An existing file was written for the same attempt by a server that was killed before the
     * start. It is replaced, because opening a FIFO of this name would block.
     */
    static void write(Path file, String text) throws IOException {
        if (!create(file, text)) {
            Files.delete(file);
            if (!create(file, text)) {
                throw new FileAlreadyExistsException(file.toString());
            }
        }
    }

    /** A killed server may have created it. The shim would block on a FIFO of this name. */
    private void createLog() throws IOException {
        if (create(log(), "")) {
            return;
        }
        try (var _ = RegularFile.open(log())) {
            // Of the same attempt.
        } catch (RegularFile.NotRegularFileException foreign) {
            write(log(), "");
        }
    }

    /** False if the file already exists. */
    static boolean create(Path file, String text) throws IOException {
        try {
            writeInto(file, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            return true;
        } catch (FileAlreadyExistsException existing) {
            return false;
        }
    }

    private static void writeInto(Path file, String text, OpenOption... options)
            throws IOException {
        try (var channel = Files.newByteChannel(file, Set.of(options), OWNER_ONLY_FILE)) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> mode(String mode) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }
}
