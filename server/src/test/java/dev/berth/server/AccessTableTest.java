package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Owner;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Caller;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The table of who may do what is the one that people read, row by row. */
class AccessTableTest {

    private static final Pattern ROW =
            Pattern.compile("\\| `([A-Z]+) (/[^`]*)` \\| ([a-z]+) \\|.*", Pattern.MULTILINE);

    @Test
    void everyRouteHasItsRowAndEveryRowItsRoute() throws Exception {
        var documented = new TreeMap<String, String>();
        ROW.matcher(Files.readString(Path.of("../docs/security.md")))
                .results()
                .forEach(row -> documented.put(row.group(1) + " " + row.group(2), row.group(3)));
        var served = new TreeMap<String, String>();
        try (var premises = Premises.open()) {
            premises.door
                    .table()
                    .routes()
                    .forEach(route -> served.put(route.name(), route.access().word()));
        }
        assertThat(documented).isEqualTo(served);
    }

    @Test
    void whatIsAnAdminsIsShutToOthers() {
        var route =
                Route.post(PathPattern.of("/x"), Access.ADMIN, Doc.of(""), _ -> Answer.empty(204));
        assertThat(route.isOpenTo(caller(true))).isTrue();
        assertThat(route.isOpenTo(caller(false))).isFalse();
    }

    private static Caller caller(boolean isAdmin) {
        return new Caller(Owner.unix("ann"), isAdmin, Caller.Via.SOCKET, Optional.empty());
    }
}
