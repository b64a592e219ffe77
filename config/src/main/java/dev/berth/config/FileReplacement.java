package dev.berth.config;

import dev.berth.files.AtomicFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Replaces files. The new texts are first written beside the files; each then replaces its file in
 * one atomic step. Unused temporary files are deleted.
 */
final class FileReplacement implements AutoCloseable {

    private final List<Prepared> prepared = new ArrayList<>();

    /**
     * The new text of a file.
     *
     * @param before the text it was derived from; empty if there was no file
     */
    record FileDraft(ConfigSources.ConfigFile file, Optional<String> before, String after) {}

    /** A file has changed since its new text was derived from it. */
    static final class ConcurrentChangeException extends Exception {
        private static final long serialVersionUID = 1;

        ConcurrentChangeException(String file) {
            super(file);
        }
    }

    private record Prepared(FileDraft draft, Path target, AtomicFile.Draft fresh) {}

    /** Writes the temporary files. A full disk or a missing permission fails here. */
    static FileReplacement prepare(List<FileDraft> drafts) throws IOException {
        var rewriting = new FileReplacement();
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

    private void prepare(FileDraft draft) throws IOException {
        var path = draft.file().path();
        // A symbolic link stays; its target is replaced.
        var target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
        var directory = target.resolveSibling("");
        Files.createDirectories(
                directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        prepared.add(
                new Prepared(
                        draft,
                        target,
                        AtomicFile.draft(
                                target, bytes(draft.after()), AtomicFile.Options.DURABLE)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Fails if a file was changed by another program since it was read. */
    void requireUnchanged() throws IOException, ConcurrentChangeException {
        for (var one : prepared) {
            requireUnchanged(one);
        }
    }

    private static void requireUnchanged(Prepared one)
            throws IOException, ConcurrentChangeException {
        Optional<String> now;
        try {
            now = Optional.of(Files.readString(one.target()));
        } catch (NoSuchFileException _) {
            now = Optional.empty();
        }
        if (!now.equals(one.draft().before())) {
            throw new ConcurrentChangeException(one.draft().file().displayName());
        }
    }

    /** If one of several files fails, the files replaced before it get their old text back. */
    void commit() throws IOException, ConcurrentChangeException {
        var done = new ArrayList<Prepared>();
        try {
            for (var one : prepared) {
                requireUnchanged(one);
                one.fresh().commit();
                done.add(one);
            }
        } catch (IOException | ConcurrentChangeException e) {
            for (var one : done) {
                restore(one);
            }
            throw e;
        }
    }

    private static void restore(Prepared one) throws IOException {
        if (one.draft().before().isEmpty()) {
            Files.delete(one.target());
            return;
        }
        AtomicFile.replace(one.target(), bytes(one.draft().before().get()));
    }

    @Override
    public void close() throws IOException {
        for (var one : prepared) {
            one.fresh().close();
        }
    }
}
