package dev.berth.nodeprocess;

import dev.berth.files.PathPermissions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Lines of {@code key = value}; a line that begins with {@code #} is a comment.
 *
 * @param file named in error messages
 */
record NodeConfigFile(Path file, SortedMap<String, String> values) {

    private static final long MAX_BYTES = 64 << 10;
    private static final Pattern LINE = Pattern.compile("\\s*([a-z_]+)\\s*=\\s*(.*?)\\s*");

    NodeConfigFile {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    }

    /** Without any value if there is no such file. */
    static NodeConfigFile read(Path file) throws InvalidNodeConfig, IOException {
        var weakness = PathPermissions.ofThisProcess().weaknessOf(file);
        if (weakness.isPresent()) {
            throw new InvalidNodeConfig(
                    "%s is not used, because another user could change it: %s."
                            .formatted(file, weakness.get().describe()));
        }
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new InvalidNodeConfig(file + " is larger than " + MAX_BYTES + " bytes.");
            }
            return new NodeConfigFile(file, parse(file, Files.readString(file)));
        } catch (NoSuchFileException absent) {
            return new NodeConfigFile(file, new TreeMap<>());
        }
    }

    private static SortedMap<String, String> parse(Path file, String text)
            throws InvalidNodeConfig {
        var values = new TreeMap<String, String>();
        int number = 0;
        for (var line : text.lines().toList()) {
            number++;
            if (line.isBlank() || line.strip().startsWith("#")) {
                continue;
            }
            var matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new InvalidNodeConfig(
                        "%s, line %d: write key = value.".formatted(file, number));
            }
            if (values.put(matcher.group(1), matcher.group(2)) != null) {
                throw new InvalidNodeConfig(
                        "%s, line %d: %s is there twice."
                                .formatted(file, number, matcher.group(1)));
            }
        }
        return values;
    }
}
