package dev.berth.server.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * New texts of files, ready beside them: each takes its file's place in one step or not at all.
 * What is not used is removed.
 */
final class Rewriting implements AutoCloseable {

    private static final Set<PosixFilePermission> MINE =
            PosixFilePermissions.fromString("rw-------");

    private final List<Ready> ready = new ArrayList<>();

    /**
     * A file's next text.
     *
     * @param before what it was made from; empty where there was no file
     */
    record Draft(Layers.File file, Optional<String> before, String after) {}

    /** A file is no longer what its next text was made from. */
    static final class Overtaken extends Exception {
        private static final long serialVersionUID = 1;

        Overtaken(String file) {
            super(file);
        }
    }

    private record Ready(Draft draft, Path target, Path fresh) {}

    /** Everything that may fail for want of space or rights fails here. */
    static Rewriting prepare(List<Draft> drafts) throws IOException {
        var rewriting = new Rewriting();
        try {
            for (var draft : drafts) {
                rewriting.prepare(draft);
            }
            return rewriting;
        } catch (IOException e) {
            rewriting.close();
            throw e;
        }
    }

    private void prepare(Draft draft) throws IOException {
        var path = draft.file().path();
        // A link stays one: what it leads to is replaced.
        var target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
        var directory = target.resolveSibling("");
        Files.createDirectories(
                directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var fresh =
                Files.createTempFile(
                        directory,
                        "." + target.getFileName(),
                        ".new",
                        PosixFilePermissions.asFileAttribute(MINE));
        ready.add(new Ready(draft, target, fresh));
        write(fresh, draft.after());
        Files.setPosixFilePermissions(
                fresh, Files.exists(target) ? Files.getPosixFilePermissions(target) : MINE);
    }

    private static void write(Path file, String text) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** Refuses if somebody else has changed a file since it was read. */
    void requireSame() throws IOException, Overtaken {
        for (var one : ready) {
            requireSame(one);
        }
    }

    private static void requireSame(Ready one) throws IOException, Overtaken {
        Optional<String> now;
        try {
            now = Optional.of(Files.readString(one.target()));
        } catch (NoSuchFileException _) {
            now = Optional.empty();
        }
        if (!now.equals(one.draft().before())) {
            throw new Overtaken(one.draft().file().shown());
        }
    }

    /** Where one of several fails, those before it get their old text back. */
    void commit() throws IOException, Overtaken {
        var done = new ArrayList<Ready>();
        try {
            for (var one : ready) {
                requireSame(one);
                move(one.fresh(), one.target());
                done.add(one);
            }
        } catch (IOException | Overtaken e) {
            for (var one : done) {
                takeBack(one);
            }
            throw e;
        }
    }

    private static void takeBack(Ready one) throws IOException {
        if (one.draft().before().isEmpty()) {
            Files.delete(one.target());
            return;
        }
        var modes = Files.getPosixFilePermissions(one.target());
        Files.createFile(one.fresh(), PosixFilePermissions.asFileAttribute(MINE));
        write(one.fresh(), one.draft().before().get());
        Files.setPosixFilePermissions(one.fresh(), modes);
        move(one.fresh(), one.target());
    }

    private static void move(Path fresh, Path target) throws IOException {
        Files.move(
                fresh, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (var directory = FileChannel.open(target.resolveSibling(""), StandardOpenOption.READ)) {
            // Or the old name may come back after a power cut.
            directory.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        for (var one : ready) {
            Files.deleteIfExists(one.fresh());
        }
    }
}
