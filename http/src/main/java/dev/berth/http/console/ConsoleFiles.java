package dev.berth.http.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All files of the console, loaded on first use.
 *
 * @param root their directory on the class path, with a trailing slash
 */
public record ConsoleFiles(String root, Map<String, ConsoleFile> loaded) {

    private static final String INDEX = "index.html";

    /** Only names that the build produces; nothing that could leave the root. */
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

    /** The file, or the index page for a path that the page's own router handles. */
    Optional<ConsoleFile> find(String path) {
        // A path without a dot is a directory or a path of the page's router.
        if (path.matches(NAME) && path.contains(".") && !path.equals(INDEX)) {
            var file = load(path);
            if (file.isPresent() || path.startsWith("assets/")) {
                return file;
            }
        }
        return Optional.of(load(INDEX).orElse(MISSING));
    }

    private Optional<ConsoleFile> load(String name) {
        var known = loaded.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        try (var in = ConsoleFiles.class.getClassLoader().getResourceAsStream(root + name)) {
            if (in == null) {
                return Optional.empty();
            }
            var file = ConsoleFile.of(name, in.readAllBytes());
            loaded.put(name, file);
            return Optional.of(file);
        } catch (IOException e) {
            throw new UncheckedIOException("this build's " + name + " cannot be read", e);
        }
    }
}
