package dev.berth.store;

import dev.berth.files.NetworkFileSystem;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A home must be on a local disk. On network file systems the database's shared memory, file locks
 * and sockets do not work reliably, and the first symptom is lost data.
 */
public final class LocalFileSystem {

    /** Common mount points of local disks. The last exists on every machine. */
    private static final List<String> LOCAL_PLACES =
            List.of("/scratch", "/local", "/data", "/srv", "/var/lib", "/var/tmp");

    private LocalFileSystem() {}

    /**
     * @param home need not exist yet; the file system of its nearest existing parent is checked
     */
    public static void require(Path home) throws HomeRefused {
        var refusal = refusal(home, type(home));
        if (refusal.isPresent()) {
            throw new HomeRefused(refusal.get());
        }
    }

    static Optional<String> refusal(Path home, String type) {
        if (!NetworkFileSystem.isRemote(type)) {
            return Optional.empty();
        }
        var place = localPlace().resolve("berth-" + System.getProperty("user.name"));
        return Optional.of(
                """
                The home %s is on a network file system (%s), where a database can lose what it acknowledged. \
                Choose a directory on a local disk, for example: --home %s (or set BERTH_HOME).\
                """
                        .formatted(home, type, place));
    }

    private static String type(Path home) throws HomeRefused {
        var place = nearestExisting(home);
        try {
            return Files.getFileStore(place).type();
        } catch (IOException e) {
            // In a chroot the table of mounts lacks the file system of its root.
            if (place.toFile().getTotalSpace() > 0) {
                return "unknown";
            }
            throw new HomeRefused(
                    "The file system of the home " + home + " cannot be read: " + e, e);
        }
    }

    private static Path nearestExisting(Path home) {
        Path place = home.toAbsolutePath();
        for (var above = place.getParent();
                !Files.exists(place) && above != null;
                above = place.getParent()) {
            place = above;
        }
        return place;
    }

    private static Path localPlace() {
        for (var name : LOCAL_PLACES) {
            var place = Path.of(name);
            if (Files.isDirectory(place) && Files.isWritable(place) && isLocal(place)) {
                return place;
            }
        }
        return Path.of(LOCAL_PLACES.getLast());
    }

    private static boolean isLocal(Path place) {
        try {
            return !NetworkFileSystem.isRemote(Files.getFileStore(place).type());
        } catch (IOException e) {
            // Only a suggestion: try the next directory.
            return false;
        }
    }
}
