package dev.berth.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The members of groups, as {@code /etc/group} lists them. */
public record GroupMembers(Map<String, Set<String>> byGroup) {

    private static final int FIELDS = 4;

    static GroupMembers read(Path file) throws IOException {
        var groups = new HashMap<String, Set<String>>();
        if (Files.exists(file)) {
            for (var line : Files.readAllLines(file)) {
                var fields = line.split(":", FIELDS);
                if (fields.length == FIELDS) {
                    groups.put(fields[0], members(fields[3]));
                }
            }
        }
        return new GroupMembers(groups);
    }

    private static Set<String> members(String list) {
        return Arrays.stream(list.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    boolean hasOnly(String group, Set<String> users) {
        return users.containsAll(byGroup.getOrDefault(group, Set.of()));
    }
}
