package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Owner;
import dev.berth.server.audit.Audit;
import dev.berth.server.audit.Auditor;
import dev.berth.server.http.Caller;
import dev.berth.server.identity.Auth;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Who did what, from where, and what came of it. */
class AuditTest {

    private static String me() {
        return "unix:" + System.getProperty("user.name");
    }

    @Test
    void everyCallThatMayChangeSomethingIsWrittenDown() throws Exception {
        try (var premises = Premises.open(Auth.TOKEN, Door.Patience.USUAL)) {
            long id = premises.submit(Premises.cpuTask("secret name"));
            premises.socket().get("/api/tasks?status=queued");
            premises.tcp()
                    .post(
                            "/api/tasks/" + id + "/cancel",
                            "",
                            "Authorization: Bearer " + premises.token());
            premises.socket().send("BREW", "/coffee/secret", List.of(), new byte[0]);
            assertThat(premises.audit)
                    .map(line -> line.replaceFirst("^\\S+Z ", ""))
                    .containsExactly(
                            "who=" + me() + " via=socket from=socket POST /api/tasks 201",
                            "who=" + me() + " via=socket from=socket POST /api/tokens 201",
                            "who="
                                    + me()
                                    + " via=token#1 from=127.0.0.1 POST /api/tasks/{id}/cancel 200",
                            "who=" + me() + " via=socket from=socket BREW - 404");
        }
    }

    @Test
    void whatChangesSomethingAtThePortIsInTheConsolesLogToo() {
        var port = new ArrayList<String>();
        var audit =
                new Audit() {
                    @Override
                    public void write(String line) {}

                    @Override
                    public void writeOfPort(String line) {
                        port.add(line);
                    }
                };
        var auditor = new Auditor(audit, () -> Instant.EPOCH);
        var ann =
                Optional.of(
                        new Caller(Owner.unix("ann"), true, Caller.Via.SESSION, Optional.empty()));
        var here = "127.0.0.1";
        auditor.note(new Auditor.Visit("POST", "/api/tasks", here, ann, 201, false));
        auditor.note(new Auditor.Visit("POST", "/api/tasks", "socket", ann, 201, false));
        auditor.note(new Auditor.Visit("GET", "/api/tasks", here, ann, 200, false));
        auditor.note(new Auditor.Visit("GET", "/login/{code}", here, ann, 303, true));
        auditor.note(new Auditor.Visit("GET", "/api/me", here, Optional.empty(), 401, false));
        auditor.note(new Auditor.Visit("PUT", "/api/rule", here, Optional.empty(), 401, false));
        assertThat(port)
                .containsExactly(
                        "1970-01-01T00:00:00Z unix:ann POST /api/tasks 201",
                        "1970-01-01T00:00:00Z unix:ann GET /login/{code} 303",
                        "1970-01-01T00:00:00Z - PUT /api/rule 401");
    }

    @Test
    void aLoginIsWrittenDownWithWhoseItIs() throws Exception {
        try (var premises = Premises.open(Auth.TOKEN, Door.Patience.USUAL)) {
            premises.cookie();
            assertThat(premises.audit.getLast())
                    .endsWith(
                            " who=" + me() + " via=session#1 from=127.0.0.1 GET /login/{code} 303");
        }
    }

    @Test
    void whoeverIsTurnedAwayIsWrittenDownWithoutWhatTheySent() throws Exception {
        try (var premises = Premises.open(Auth.TOKEN, Door.Patience.USUAL)) {
            premises.tcp().get("/api/tasks?status=secret", "Authorization: Bearer secret");
            premises.tcp().get("/login/secret");
            premises.tcp().get("/api/health", "Host: secret");
            assertThat(premises.audit)
                    .map(line -> line.replaceFirst("^\\S+Z ", ""))
                    .containsExactly(
                            "who=- via=- from=127.0.0.1 GET /api/tasks 401",
                            "who=- via=- from=127.0.0.1 GET /login/{code} 403",
                            "who=- via=- from=127.0.0.1 GET /api/health 403");
        }
    }

    @Test
    void strangersCannotFillTheDisk() {
        var lines = new ArrayList<String>();
        var auditor = new Auditor(lines::add, () -> Instant.EPOCH);
        var refused =
                new Auditor.Visit("GET", "/api/tasks", "127.0.0.1", Optional.empty(), 401, false);
        for (int i = 0; i < 10_000; i++) {
            auditor.note(refused);
        }
        assertThat(lines).hasSizeBetween(100, 200);
        var ann = new Caller(Owner.unix("ann"), true, Caller.Via.SOCKET, Optional.empty());
        auditor.note(
                new Auditor.Visit("POST", "/api/tasks", "socket", Optional.of(ann), 201, false));
        assertThat(lines.get(lines.size() - 2)).contains("more refusals were not written down");
    }
}
