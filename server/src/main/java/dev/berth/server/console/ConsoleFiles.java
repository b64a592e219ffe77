package dev.berth.server.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All files there are, read when they are first asked for.
 *
 * @param root where they lie on the class path, with a slash at its end
 */
public record ConsoleFiles(String root, Map<String, ConsoleFile> read) {

    private static final String INDEX = "index.html";

    /** Names as the build makes them; nothing that could lead out of the root. */
    private static final String NAME =
            "([A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*";

    private static final ConsoleFile MISSING =
            ConsoleFile.of(
                    INDEX,
                    """
                    <!doctype html>
                    <html lang="en"><title>Berth</title>
                    <h1>Berth is running</h1>
                    <p>This build has no console in it. The command line and the API are complete.
                    </html>
                    """
                            .getBytes(StandardCharsets.UTF_8));

    public static ConsoleFiles at(String root) {
        return new ConsoleFiles(root, new ConcurrentHashMap<>());
    }

    /** The file, or the page itself for an address that only the page understands. */
    Optional<ConsoleFile> find(String path) {
        // What has no dot in its name is a directory, or an address of the page's own.
        if (path.matches(NAME) && path.contains(".") && !path.equals(INDEX)) {
            var file = load(path);
            if (file.isPresent() || path.startsWith("assets/")) {
                return file;
            }
        }
        return Optional.of(load(INDEX).orElse(MISSING));
    }

    private Optional<ConsoleFile> load(String name) {
        var known = read.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        try (var in = ConsoleFiles.class.getClassLoader().getResourceAsStream(root + name)) {
            if (in == null) {
                return Optional.empty();
            }
            var file = ConsoleFile.of(name, in.readAllBytes());
            read.put(name, file);
            return Optional.of(file);
        } catch (IOException e) {
            throw new UncheckedIOException("this build's " + name + " cannot be read", e);
        }
    }
}
