package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Role;
import dev.berth.core.access.Via;
import dev.berth.core.task.Owner;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.PathPattern;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteResponse;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The access table in the documentation matches the routes, row by row. */
class AccessTableTest {

    private static final Pattern ROW =
            Pattern.compile("\\| `([A-Z]+) (/[^`]*)` \\| ([a-z]+) \\|.*", Pattern.MULTILINE);

    @Test
    void accessTableMatchesTheRoutes() throws Exception {
        var documented = new TreeMap<String, String>();
        ROW.matcher(Files.readString(Path.of("../docs/security.md")))
                .results()
                .forEach(row -> documented.put(row.group(1) + " " + row.group(2), row.group(3)));
        var served = new TreeMap<String, String>();
        try (var server = TestServer.open()) {
            server.table()
                    .routes()
                    .forEach(route -> served.put(route.name(), route.access().label()));
        }
        assertThat(documented).isEqualTo(served);
    }

    @Test
    void adminRoutesRejectOtherUsers() {
        var route =
                Route.post(
                        PathPattern.of("/x"),
                        AccessLevel.ADMIN,
                        RouteDoc.of(""),
                        _ -> RouteResponse.empty(204));
        assertThat(route.allows(caller(Role.ADMIN))).isTrue();
        assertThat(route.allows(caller(Role.USER))).isFalse();
    }

    private static Caller caller(Role role) {
        return new Caller(Owner.unix("ann"), 1000, role, Via.SOCKET, Optional.empty());
    }
}
