package dev.berth.store;

import dev.berth.files.AtomicFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/**
 * Keeps one unpacked copy of SQLite's native library. By default the driver unpacks it at every
 * start under a new name into the temporary directory, and a server that is killed never removes
 * its copy.
 */
final class NativeLibrary {

    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);
    private static final String FOLDER = "org.sqlite.lib.path";

    private NativeLibrary() {}

    /**
     * Only the first call in a process has an effect. If the folder cannot be used, the driver's
     * default stays.
     */
    static synchronized void unpackTo(Path folder) {
        if (System.getProperty(FOLDER) != null) {
            return;
        }
        var name = LibraryLoaderUtil.getNativeLibName();
        try (var packed =
                SQLiteJDBCLoader.class.getResourceAsStream(
                        LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name)) {
            if (packed == null) {
                return;
            }
            unpack(packed.readAllBytes(), folder.resolve(name));
            System.setProperty(FOLDER, folder.toString());
        } catch (IOException e) {
            LOG.warn(
                    "SQLite's library is unpacked into the temporary directory, not into {}: {}",
                    folder,
                    e.toString());
        }
    }

    private static void unpack(byte[] library, Path file) throws IOException {
        if (Files.exists(file) && Arrays.equals(Files.readAllBytes(file), library)) {
            return;
        }
        var ownerOnly =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Files.createDirectories(file.getParent(), ownerOnly);
        AtomicFile.replace(file, library, AtomicFile.Options.EXECUTABLE);
    }
}
