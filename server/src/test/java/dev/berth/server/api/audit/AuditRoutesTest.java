package dev.berth.server.api.audit;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Role;
import dev.berth.core.access.Via;
import dev.berth.core.task.Owner;
import dev.berth.http.Caller;
import dev.berth.identity.AuthMode;
import dev.berth.server.HttpServer;
import dev.berth.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Who did what, as the API shows it. */
class AuditRoutesTest {

    private static final String ME = System.getProperty("user.name");

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private List<String> kinds(String query) throws Exception {
        var kinds = new ArrayList<String>();
        server.socket()
                .get("/api/audit" + query)
                .json()
                .forEach(event -> kinds.add(event.get("kind").asString()));
        return kinds;
    }

    private JsonNode newest(String query) throws Exception {
        return server.socket().get("/api/audit" + query).json().get(0);
    }

    @Test
    void aRequestIsShownWithItsActorTheWayInAndTheOwner() throws Exception {
        long id = server.submit(TestServer.cpuTask("train"));
        var token = "Authorization: Bearer " + server.token();
        server.tcp().post("/api/tasks/" + id + "/cancel", "", token);

        var submitted = newest("?kind=task.submitted");
        assertThat(submitted.get("actor").asString()).isEqualTo(ME);
        assertThat(submitted.get("via").asString()).isEqualTo("socket");
        assertThat(submitted.get("owner").asString()).isEqualTo(ME);
        assertThat(submitted.get("task_id").asLong()).isEqualTo(id);
        assertThat(newest("?task=" + id).get("via").asString()).isEqualTo("token");
    }

    @Test
    void whatBerthDidIsLeftOutUnlessAsked() throws Exception {
        server.submit(TestServer.cpuTask("train"));
        assertThat(kinds("")).containsExactly("task.submitted");
        assertThat(kinds("?berth=true")).contains("task.submitted", "server.started");
        assertThat(kinds("?actor=berth"))
                .contains("server.started")
                .doesNotContain("task.submitted");
        assertThat(newest("?actor=berth&kind=server").get("via").isNull()).isTrue();
    }

    @Test
    void pagesFollowEachOtherByLink() throws Exception {
        for (int i = 0; i < 5; i++) {
            server.submit(TestServer.cpuTask("train " + i));
        }
        var names = new ArrayList<String>();
        var path = Optional.of("/api/audit?limit=2&kind=task&actor=" + ME);
        while (path.isPresent()) {
            var page = server.socket().get(path.get());
            page.json().forEach(event -> names.add(event.at("/data/name").asString()));
            path = page.header("Link").map(link -> link.substring(1, link.indexOf('>')));
        }
        assertThat(names).containsExactly("train 4", "train 3", "train 2", "train 1", "train 0");
    }

    @Test
    void filtersAreChecked() throws Exception {
        server.submit(TestServer.cpuTask("train"));
        assertThat(kinds("?since=2001-01-01T00:00:00Z")).containsExactly("task.submitted");
        assertThat(kinds("?until=2001-01-01T00:00:00Z")).isEmpty();
        assertThat(kinds("?actor=nobody")).isEmpty();
        for (var bad : List.of("since=noon", "kind=tusk", "task=0", "limit=1001", "berth=1")) {
            assertThat(server.socket().get("/api/audit?" + bad).status()).as(bad).isEqualTo(422);
        }
    }

    @Test
    void loginsAndLogoutsAreRecorded() throws Exception {
        var cookie = server.cookie();
        server.tcp().post("/api/logout", "", cookie, "Sec-Fetch-Site: same-origin");
        assertThat(kinds("")).containsExactly("user.logged_out", "user.logged_in");
        assertThat(newest("?kind=user.logged_in").get("via").asString()).isEqualTo("session");
        assertThat(newest("?kind=user.logged_in").get("owner").asString()).isEqualTo(ME);
    }

    @Test
    void aLookIntoTheLogOfAnotherUserIsRecordedOnce() throws Exception {
        long mine = server.submit(TestServer.cpuTask("mine"));
        var draft = "{\"name\":\"his\",\"command\":\"true\",\"owner\":\"bob\",\"gpu_count\":1}";
        var body = server.socket().post("/experiments/", draft).json();
        long his = body.get("id").asLong();
        server.socket().get("/api/tasks/" + mine + "/logs");
        assertThat(server.socket().get("/api/tasks/999/logs").status()).isEqualTo(404);
        assertThat(kinds("?kind=log")).isEmpty();
        for (var part : List.of("", "/raw", "/section", "/search?q=x")) {
            server.socket().get("/api/tasks/" + his + "/logs" + part);
        }
        eventually("it is recorded", () -> kinds("?kind=log").size() == 1);
        var read = newest("?kind=log.read");
        assertThat(read.get("actor").asString()).isEqualTo(ME);
        assertThat(read.get("owner").asString()).isEqualTo("bob");
        assertThat(read.get("task_id").asLong()).isEqualTo(his);
    }

    @Test
    void onlyAdminsSeeWhatConcernsOthers() {
        var ann = Owner.unix("ann");
        assertThat(AuditRoutes.visibleTo(caller(ann, Role.ADMIN))).isEmpty();
        assertThat(AuditRoutes.visibleTo(caller(ann, Role.USER))).contains(ann);
    }

    private static Caller caller(Owner user, Role role) {
        return new Caller(user, 1000, role, Via.SOCKET, Optional.empty());
    }
}
