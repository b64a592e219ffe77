package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Owner;
import dev.berth.files.LineSampler;
import dev.berth.identity.AuthMode;
import dev.berth.telemetry.audit.AuditLog;
import dev.berth.telemetry.audit.Auditor;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

class AuditedRequestsTest {

    private static String me() {
        return "unix:" + System.getProperty("user.name");
    }

    @Test
    void recordsEveryRequestThatMayChangeSomething() throws Exception {
        try (var server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT)) {
            long id = server.submit(TestServer.cpuTask("secret name"));
            server.socket().get("/api/tasks?status=queued");
            server.tcp()
                    .post(
                            "/api/tasks/" + id + "/cancel",
                            "",
                            "Authorization: Bearer " + server.token());
            server.socket().send("BREW", "/coffee/secret", List.of(), new byte[0]);
            assertThat(server.audit)
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
    void tcpChangesAreAlsoInTheConsoleLog() {
        var port = new ArrayList<String>();
        var audit =
                new AuditLog() {
                    @Override
                    public void write(String line) {}

                    @Override
                    public void writePortChange(String line) {
                        port.add(line);
                    }
                };
        var auditor = new Auditor(audit, () -> Instant.EPOCH, new LineSampler(() -> 0));
        var ann =
                Optional.of(
                        new Auditor.AuditIdentity(Owner.unix("ann"), "session", Optional.empty()));
        var here = "127.0.0.1";
        auditor.log(new Auditor.AuditedRequest("POST", "/api/tasks", here, ann, 201, false));
        auditor.log(new Auditor.AuditedRequest("POST", "/api/tasks", "socket", ann, 201, false));
        auditor.log(new Auditor.AuditedRequest("GET", "/api/tasks", here, ann, 200, false));
        auditor.log(new Auditor.AuditedRequest("GET", "/login/{code}", here, ann, 303, true));
        auditor.log(
                new Auditor.AuditedRequest("GET", "/api/me", here, Optional.empty(), 401, false));
        auditor.log(
                new Auditor.AuditedRequest("PUT", "/api/rule", here, Optional.empty(), 401, false));
        assertThat(port)
                .containsExactly(
                        "1970-01-01T00:00:00Z unix:ann POST /api/tasks 201",
                        "1970-01-01T00:00:00Z unix:ann GET /login/{code} 303",
                        "1970-01-01T00:00:00Z - PUT /api/rule 401");
    }

    @Test
    void recordsALoginWithItsUser() throws Exception {
        try (var server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT)) {
            server.cookie();
            assertThat(server.audit.getLast())
                    .endsWith(
                            " who=" + me() + " via=session#1 from=127.0.0.1 GET /login/{code} 303");
        }
    }

    @Test
    void recordsRejectedCallersWithoutTheirInput() throws Exception {
        try (var server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT)) {
            server.tcp().get("/api/tasks?status=secret", "Authorization: Bearer secret");
            server.tcp().get("/login/secret");
            server.tcp().get("/api/health", "Host: secret");
            assertThat(server.audit)
                    .map(line -> line.replaceFirst("^\\S+Z ", ""))
                    .containsExactly(
                            "who=- via=- from=127.0.0.1 GET /api/tasks 401",
                            "who=- via=- from=127.0.0.1 GET /login/{code} 403",
                            "who=- via=- from=127.0.0.1 GET /api/health 403");
        }
    }

    @Test
    void refusedRequestsCannotRotateTheLinesOfChangesAway() {
        var lines = new ArrayList<String>();
        var nanos = new AtomicLong();
        var auditor = new Auditor(lines::add, () -> Instant.EPOCH, new LineSampler(nanos::get));
        var ann =
                Optional.of(
                        new Auditor.AuditIdentity(Owner.unix("ann"), "socket", Optional.empty()));
        for (int i = 0; i < 100_000; i++) {
            var route = "/api/" + i % 70;
            auditor.log(request("GET", route, Optional.empty(), 401));
            auditor.log(request("M" + (char) ('A' + i % 26), route, Optional.empty(), 403));
            auditor.log(request("M" + (char) ('A' + i % 26), "-", ann, 404));
            auditor.log(request("POST", "/api/tasks", ann, 422));
        }
        assertThat(lines).hasSize(4 * Auditor.REFUSALS_PER_MINUTE);
        lines.clear();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        auditor.writeFinishedCounts();
        int left = 100_000 - Auditor.REFUSALS_PER_MINUTE;
        assertThat(lines)
                .containsExactlyInAnyOrder(
                        "1970-01-01T00:00:00Z who=- 401 more=" + left,
                        "1970-01-01T00:00:00Z who=- 403 more=" + left,
                        "1970-01-01T00:00:00Z who=unix:ann - - 404 more=" + left,
                        "1970-01-01T00:00:00Z who=unix:ann POST /api/tasks 422 more=" + left);
    }

    @Test
    void everyChangeIsRecorded() {
        var lines = new ArrayList<String>();
        var auditor = new Auditor(lines::add, () -> Instant.EPOCH, new LineSampler(() -> 0));
        var ann =
                Optional.of(
                        new Auditor.AuditIdentity(Owner.unix("ann"), "socket", Optional.empty()));
        for (int i = 0; i < 1000; i++) {
            auditor.log(request("POST", "/api/tasks", ann, 201));
        }
        assertThat(lines).hasSize(1000);
    }

    private static Auditor.AuditedRequest request(
            String method, String route, Optional<Auditor.AuditIdentity> caller, int status) {
        return new Auditor.AuditedRequest(method, route, "127.0.0.1", caller, status, false);
    }
}
