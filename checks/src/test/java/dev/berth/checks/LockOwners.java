package dev.berth.checks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The classes that may hold a lock, from {@code lock-owners.txt}: a class per line, then the
 * reason.
 */
final class LockOwners {
    static final Set<String> NAMES = load();

    private LockOwners() {}

    private static Set<String> load() {
        try (var stream = LockOwners.class.getResourceAsStream("/lock-owners.txt")) {
            var bytes = Objects.requireNonNull(stream, "lock-owners.txt").readAllBytes();
            return new String(bytes, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split("\\s+", 2)[0])
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException("reading lock-owners.txt", e);
        }
    }
}
