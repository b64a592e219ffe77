package dev.berth.store;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/**
 * Where SQLite's native library is loaded from. Left alone, the driver unpacks it under a new name
 * into the temporary directory at every start, and a server that is killed never removes its copy.
 * So one copy is kept.
 */
final class NativeLibrary {

    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);
    private static final String FOLDER = "org.sqlite.lib.path";

    private NativeLibrary() {}

    /**
     * The first call of a process decides; a folder that programs may not be loaded from is passed
     * over.
     */
    static synchronized void keepIn(Path folder) {
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
        var fresh = Files.createTempFile(file.getParent(), "unpacked", ".so", ownerOnly);
        Files.write(fresh, library);
        Files.move(
                fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
