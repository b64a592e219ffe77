package dev.berth.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * In a container with a user namespace, the kernel shows all users from outside as one: files of
 * the host's root seem to belong to {@code nobody}.
 */
final class UserNamespace {

    private static final String ALL_USERS = "0 0 4294967295";

    private UserNamespace() {}

    static Optional<Integer> unmappedOwner() throws IOException {
        var map = Path.of("/proc/self/uid_map");
        var overflow = Path.of("/proc/sys/kernel/overflowuid");
        if (!Files.exists(map) || !Files.exists(overflow)) {
            return Optional.empty();
        }
        var isWhole = Files.readString(map).strip().replaceAll("\\s+", " ").equals(ALL_USERS);
        return isWhole
                ? Optional.empty()
                : Optional.of(Integer.valueOf(Files.readString(overflow).strip()));
    }
}
