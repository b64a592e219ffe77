package dev.berth.store;

import dev.berth.port.StoreFailure;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files that a running server must find at their paths. A server keeps its files open, so it
 * could go on writing to files that were removed, while another server uses the same home.
 */
public final class HeldFiles {

    /** For tests that need no home. */
    public static final HeldFiles NONE = new HeldFiles(new LinkedHashMap<>(), Path.of(""));

    private final Map<Path, FileIdentity> files;
    private final Path log;

    /** SQLite creates its log with the first transaction of a connection. */
    private volatile @Nullable FileIdentity logIdentity;

    private HeldFiles(Map<Path, FileIdentity> files, Path log) {
        this.files = files;
        this.log = log;
    }

    /**
     * @param database the database, which exists; its log is added later
     * @param others other files and directories that exist
     */
    public static HeldFiles of(Path database, List<Path> others) throws StoreFailure {
        var files = new LinkedHashMap<Path, FileIdentity>();
        try {
            for (var path : others) {
                files.put(path, FileIdentity.of(path));
            }
            files.put(database, FileIdentity.of(database));
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.REMOVED, "a file of the home was removed: " + e, e);
        }
        return new HeldFiles(files, database.resolveSibling(database.getFileName() + "-wal"));
    }

    /** Called when a connection has begun its first transaction. */
    void rememberLog() {
        try {
            logIdentity = files.isEmpty() ? null : FileIdentity.of(log);
        } catch (IOException e) {
            logIdentity = null;
        }
    }

    /** Called when the writer closes its connection, which may remove the log. */
    void forgetLog() {
        logIdentity = null;
    }

    /** The first file that is gone or was replaced. Any thread may ask. */
    public Optional<StoreFailure> problem() {
        for (var file : files.entrySet()) {
            if (!file.getValue().isAt(file.getKey())) {
                return Optional.of(failure(file.getKey()));
            }
        }
        var held = logIdentity;
        return held == null || held.isAt(log) ? Optional.empty() : Optional.of(failure(log));
    }

    private static StoreFailure failure(Path path) {
        var what = Files.exists(path) ? " was replaced by another file" : " was removed";
        return new StoreFailure(
                StoreFailure.Kind.REMOVED,
                path + what + " while this server runs. Nothing is stored until it is back.");
    }
}
