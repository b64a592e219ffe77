package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * The build of the console generates its types from a copy of the description, because no server
 * runs then.
 */
class ConsoleDescriptionTest {

    private static final Path COPY = Path.of("../console/openapi.json");
    private static final String UPDATE = "berth.update.openapi";

    private static final String HOW_TO_UPDATE =
            "console/openapi.json differs from what the server answers. To update it, run: mvn -pl"
                    + " server -am test -Dtest=ConsoleDescriptionTest"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -D"
                    + UPDATE;

    /** Sorted, so that an update changes only the lines of what has changed. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
                    .build();

    @Test
    void theConsoleHasTheCurrentDescription() throws Exception {
        var copy = MAPPER.readTree(COPY);
        var current = current(copy.at("/info/version").asString());
        if (System.getProperty(UPDATE) != null) {
            Files.writeString(COPY, MAPPER.writeValueAsString(current) + "\n");
            return;
        }
        assertThat(differences("", copy, current)).as(HOW_TO_UPDATE).isEmpty();
    }

    @Test
    void aDifferenceIsNamedByItsPointer() {
        var copy = MAPPER.readTree("{\"a\":{\"b\":[1,2]},\"only\":1}");
        var current = MAPPER.readTree("{\"a\":{\"b\":[1,3]},\"more\":null}");

        assertThat(differences("", copy, current)).containsExactly("/a/b/1", "/more", "/only");
    }

    /** The test server has a version of its own. */
    private static JsonNode current(String version) throws Exception {
        try (var server = TestServer.open()) {
            var description = server.socket().get("/api/openapi.json").json();
            ((ObjectNode) description.get("info")).put("version", version);
            return description;
        }
    }

    /** JSON pointers of the nodes that differ. */
    private static List<String> differences(String where, JsonNode one, JsonNode other) {
        var found = new ArrayList<String>();
        if (one.isObject() && other.isObject()) {
            var names = new TreeSet<>(one.propertyNames());
            names.addAll(other.propertyNames());
            for (var name : names) {
                var pointer = where + "/" + name.replace("~", "~0").replace("/", "~1");
                found.addAll(differences(pointer, one.path(name), other.path(name)));
            }
        } else if (one.isArray() && other.isArray()) {
            for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
                found.addAll(differences(where + "/" + i, one.path(i), other.path(i)));
            }
        } else if (!one.equals(other)) {
            found.add(where);
        }
        return found;
    }
}
