package dev.berth.server;

import static dev.berth.server.SystemServer.ALICE;
import static dev.berth.server.SystemServer.BOB;
import static dev.berth.server.SystemServer.CAROL;
import static dev.berth.server.SystemServer.DAVE;
import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.GpuConsumption;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.findings.progress.Progress;
import dev.berth.http.Route;
import dev.berth.port.Fact;
import dev.berth.server.api.TaskAccess.View;
import dev.berth.testkit.EventClient;
import dev.berth.testkit.http.TestHttpClient.Reply;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * A secret word is in everything that alice owns. Whatever another user asks for, in any way, no
 * answer contains it.
 */
class VisibilityTest {

    private static final String WORD = "xyzzy";
    private static final String RUN_FILE = "1\necho " + WORD + "\n1\n";

    private TestServer server;
    private final Map<String, String> tokens = new TreeMap<>();
    private Path workDir;
    private long running;
    private long failed;
    private long lost;
    private long queued;
    private long draft;

    private void open(View others) throws Exception {
        open(others, Optional.empty());
    }

    private void open(View others, Optional<AccessSettings.ProxyHeader> proxy) throws Exception {
        server = SystemServer.open(others, proxy, SystemServer.machine());
        for (var user : List.of(ALICE, BOB, CAROL, DAVE)) {
            tokens.put(user, SystemServer.token(server, user, user));
        }
        // Its name is the word.
        SystemServer.token(server, ALICE, WORD);
        workDir = Files.createDirectory(server.home.resolve(WORD));
        plant();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private Reply get(String user, String path) {
        return server.tcp().get(path, tokens.get(user));
    }

    private Reply send(String user, String method, String path, String body) {
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        return server.tcp().send(method, path, List.of(tokens.get(user)), bytes);
    }

    private Reply post(String user, String path, Map<String, ?> body) {
        return server.tcp().post(path, TestServer.body(body), tokens.get(user));
    }

    private long submit(String user, Map<String, Object> more) {
        var fields = new TreeMap<String, Object>();
        fields.put("name", "train");
        fields.put("command", "echo " + WORD);
        fields.put("env", Map.of("SECRET_" + WORD, WORD));
        fields.put("work_dir", workDir.toString());
        fields.putAll(more);
        var reply = post(user, "/api/tasks", fields);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
        return reply.json().get("id").asLong();
    }

    /** Puts the word wherever a user's text can be. */
    private void plant() throws Exception {
        running = submit(ALICE, Map.of("gpu_count", 1, "memory_gb", 1));
        failed = submit(ALICE, Map.of("devices", "cpu"));
        lost = submit(ALICE, Map.of("devices", "cpu"));
        queued = submit(ALICE, Map.of("gpu_count", 2));
        draft = submit(ALICE, Map.of("devices", "cpu", "draft", true));
        for (var task : List.of(running, failed)) {
            server.logs.print(task, "step 1 " + WORD + "\n");
            server.logs.lines.put(attempt(task), List.of("step 1 " + WORD));
        }
        server.node.observe(
                new Fact.Progressed(
                        attempt(running),
                        new Progress(1, 2, WORD, OptionalDouble.empty(), Optional.empty(), WORD)));
        var diagnosis =
                new Diagnosis(Cause.OOM, "out of memory " + WORD, new TreeMap<>(Map.of("x", WORD)));
        server.endWithFindings(
                failed, 3, new AttemptFindings(Optional.of(diagnosis), Optional.empty()));
        eventually("it runs", () -> status(lost).equals("running"));
        server.node.observe(new Fact.Lost(attempt(lost), "cannot read " + WORD));
        eventually("it is lost", () -> phase(lost).equals("lost"));
        plantModel();
        server.workDir = workDir;
        var file =
                send(
                        ALICE,
                        "PUT",
                        "/api/commands/single",
                        TestServer.body(Map.of("content", RUN_FILE)));
        assertThat(file.status()).as(file.toString()).isEqualTo(200);
        assertThat(server.tcp().post("/api/scheduler/single/start", "", tokens.get(ALICE)).status())
                .isEqualTo(200);
    }

    private void plantModel() {
        var model =
                Map.of(
                        "worker",
                        "echo " + WORD,
                        "env",
                        Map.of("SECRET_" + WORD, WORD),
                        "work_dir",
                        workDir.toString());
        var saved = send(ALICE, "PUT", "/api/models/mace", TestServer.body(model));
        assertThat(saved.status()).as(saved.toString()).isEqualTo(200);
        assertThat(saved.text()).contains(WORD);
    }

    private static AttemptId attempt(long task) {
        return new AttemptId(new TaskId(task), 1);
    }

    private String status(long task) {
        return get(ALICE, "/api/tasks/" + task).json().get("status").asString();
    }

    private String phase(long task) {
        return get(ALICE, "/api/tasks/" + task).json().get("phase").asString();
    }

    /** Every way to fill in a path: each of alice's tasks, and what she has beside them. */
    private List<String> targets(Route route) {
        var filled = new ArrayList<String>();
        for (var task : List.of(running, failed, lost, queued, draft)) {
            var path =
                    route.path()
                            .text()
                            .replaceAll("^(/api/gpus/)\\{id}", "$10")
                            // Her own token, and the one that is named by the word.
                            .replaceAll("^(/api/tokens/)\\{id}", task == running ? "$11" : "$15")
                            .replaceAll("/\\{index}$", "/0")
                            .replace("{id}", Long.toString(task))
                            .replace("{mode}", "single")
                            .replace("{pid}", "1")
                            .replace("{name}", "mace")
                            .replace("{user}", ALICE)
                            .replace("{fingerprint}", "1")
                            .replace("{code}", "x")
                            .replace("{path*}", "x");
            assertThat(path).as("a new variable: add it here").doesNotContain("{");
            if (!filled.contains(path)) {
                filled.add(path);
            }
        }
        return filled;
    }

    /** Queries that could reach further than the bare path. */
    private static List<String> queries(Route route) {
        return switch (route.path().text()) {
            case "/api/tasks" ->
                    List.of("", "?owner=alice", "?status=failed", "?sort=-finished_at");
            case "/api/tasks/{id}/wait" -> List.of("?seconds=0");
            case "/api/gpus" -> List.of("", "?processes=true");
            case "/api/events/log" -> List.of("", "?limit=1000", "?after=3");
            case "/api/audit" -> List.of("", "?berth=true", "?actor=alice", "?kind=token");
            case "/api/tasks/{id}/logs/search" -> List.of("?q=step");
            case "/api/tasks/{id}/logs" -> List.of("", "?tail=10", "?from=0");
            case "/api/commands/{mode}", "/api/commands/{mode}/list", "/api/commands/{mode}/all" ->
                    List.of("", "?user=alice");
            case "/api/log/content" -> List.of("?mode=single&queue_id=1&task_index=0");
            case "/api/log/read" -> List.of("?path=" + WORD);
            default -> List.of("");
        };
    }

    private List<Route> reads() {
        return server.table().routes().stream()
                .filter(route -> route.method() == Route.Method.GET)
                // Streams are read below.
                .filter(route -> !route.path().text().endsWith("/events"))
                .filter(route -> !route.path().text().endsWith("/stream"))
                .toList();
    }

    /** All headers and the body. */
    private static String whole(Reply reply) {
        return reply.headers() + "\n" + reply.text();
    }

    @Test
    void noReadOfAnotherUserContainsTheWord() throws Exception {
        open(View.BASIC);
        int asked = 0;
        for (var user : List.of(BOB, CAROL)) {
            for (var route : reads()) {
                for (var target : targets(route)) {
                    for (var query : queries(route)) {
                        var reply = get(user, target + query);
                        assertThat(whole(reply))
                                .as(user + " " + target + query)
                                .doesNotContain(WORD);
                        asked++;
                    }
                }
            }
        }
        assertThat(asked).isGreaterThan(150);
    }

    /** Every request of the route table that a user can send about alice. */
    private List<CurlRequests.Request> requests() {
        var all = new ArrayList<CurlRequests.Request>();
        for (var route : server.table().routes()) {
            boolean isRead = route.method() == Route.Method.GET;
            if (!isRead && isOwnBusiness(route)) {
                continue;
            }
            for (var target : targets(route)) {
                if (!isRead) {
                    bodies().forEach(
                                    body ->
                                            all.add(
                                                    new CurlRequests.Request(
                                                            route.method().name(), target, body)));
                } else if (reads().contains(route)) {
                    queries(route)
                            .forEach(
                                    query ->
                                            all.add(
                                                    new CurlRequests.Request(
                                                            "GET", target + query, "")));
                }
            }
        }
        return all;
    }

    private void assertNothingIsRevealed(CurlRequests curl, String who) throws Exception {
        var before = belongings();
        var requests = requests();
        var answers = curl.send(requests);
        for (int i = 0; i < requests.size(); i++) {
            var what = who + " " + requests.get(i);
            assertThat(answers.get(i)).as(what).startsWith("HTTP/1.1 ").doesNotContain(WORD);
            if (!requests.get(i).method().equals("GET")) {
                assertThat(answers.get(i)).as(what).startsWith("HTTP/1.1 4");
            }
        }
        assertThat(requests.size()).isGreaterThan(400);
        assertThat(belongings()).isEqualTo(before);
    }

    @Test
    void noAnswerOnTheSocketContainsTheWord() throws Exception {
        CurlRequests.requireRoot();
        open(View.BASIC);
        for (var user : List.of(BOB, CAROL)) {
            int uid = SystemServer.machine().named(user).orElseThrow().uid();
            var curl = new CurlRequests(server, uid, List.of());
            assertThat(curl.send(List.of(CurlRequests.Request.get("/api/me"))).getFirst())
                    .contains("\"via\":\"socket\"", "\"name\":\"" + user + "\"");
            assertNothingIsRevealed(curl, user);
        }
    }

    @Test
    void noAnswerThroughAProxyContainsTheWord() throws Exception {
        CurlRequests.requireRoot();
        open(View.BASIC, CurlRequests.PROXY);
        for (var user : List.of(BOB, CAROL)) {
            var headers = List.of("X-Remote-User: " + user, "Sec-Fetch-Site: same-origin");
            var curl = new CurlRequests(server, CurlRequests.PROXY_UID, headers);
            assertThat(curl.send(List.of(CurlRequests.Request.get("/api/me"))).getFirst())
                    .contains("\"via\":\"proxy\"", "\"name\":\"" + user + "\"");
            assertNothingIsRevealed(curl, user);
        }
    }

    @Test
    void searchRevealsNothingByItsCount() throws Exception {
        open(View.BASIC);
        var reply = get(BOB, "/api/tasks?q=" + WORD);
        assertThat(reply.header("X-Total-Count")).contains("0");
        assertThat(reply.json().isEmpty()).isTrue();
        assertThat(get(BOB, "/api/tasks?q=train").header("X-Total-Count")).contains("5");
    }

    @Test
    void sessionsAreLimitedLikeTokens() throws Exception {
        open(View.BASIC);
        var cookie = SystemServer.cookie(server, BOB);
        for (var route : reads()) {
            for (var target : targets(route)) {
                for (var query : queries(route)) {
                    assertThat(whole(server.tcp().get(target + query, cookie)))
                            .as(target + query)
                            .doesNotContain(WORD);
                }
            }
        }
    }

    @Test
    void streamsOfOthersDoNotContainTheWord() throws Exception {
        open(View.BASIC);
        var url = server.door.url();
        try (var bob = EventClient.listen(url, "/api/events?last_event_id=0", tokens.get(BOB));
                var alice =
                        EventClient.listen(url, "/api/events?last_event_id=0", tokens.get(ALICE))) {
            alice.await("her own task", one -> text(one).contains(WORD));
            server.end(running, 1);
            bob.await("the end of her task", one -> text(one).contains("task.failed"));
            var id = bob.lastId();
            alice.await("as far", one -> Long.parseLong(one.lastId()) >= Long.parseLong(id));
            assertThat(text(bob)).doesNotContain(WORD).contains("\"owner\":\"alice\"");
        }
        for (var target :
                List.of("/api/events?log=" + failed, "/api/tasks/" + failed + "/logs/stream")) {
            var reply = get(BOB, target);
            assertThat(reply.status()).as(target).isEqualTo(403);
            assertThat(reply.text()).doesNotContain(WORD);
        }
    }

    private static String text(EventClient client) {
        return client.received().toString();
    }

    @Test
    void ownersAndAdminsSeeTheirWork() throws Exception {
        open(View.BASIC);
        for (var user : List.of(ALICE, DAVE)) {
            var task = get(user, "/api/tasks/" + running).json();
            assertThat(task.get("command").asString()).contains(WORD);
            assertThat(task.get("work_dir").asString()).contains(WORD);
            assertThat(task.get("env").get(0).asString()).contains(WORD);
            assertThat(task.get("progress").toString()).contains(WORD);
            assertThat(get(user, "/api/tasks/" + running + "/logs").text()).contains(WORD);
            assertThat(get(user, "/api/tasks/" + failed).json().get("diagnosis").toString())
                    .contains(WORD);
            assertThat(get(user, "/api/tasks/" + lost).json().get("attempts").toString())
                    .contains(WORD);
            assertThat(get(user, "/api/scheduler/running").text()).contains(WORD);
            assertThat(get(user, "/api/tokens").text()).contains(WORD);
            assertThat(get(user, "/api/alerts").text()).contains(WORD);
        }
        assertThat(get(ALICE, "/api/commands/single").text()).contains(WORD);
        assertThat(get(DAVE, "/api/commands/single?user=alice").text()).contains(WORD);
        assertThat(get(DAVE, "/api/commands/single").text()).doesNotContain(WORD);
        assertThat(get(BOB, "/api/commands/single?user=alice").status()).isEqualTo(403);
    }

    @Test
    void aLabCanOpenLogsButNeverTheEnvironment() throws Exception {
        open(View.LOGS);
        var task = get(BOB, "/api/tasks/" + running).json();
        assertThat(task.get("command").asString()).contains(WORD);
        assertThat(task.get("progress").toString()).contains(WORD);
        assertThat(task.get("env").isEmpty()).isTrue();
        assertThat(task.get("work_dir").asString()).isEmpty();
        assertThat(get(BOB, "/api/tasks/" + running + "/logs").text()).contains(WORD);
        assertThat(post(BOB, "/api/tasks/" + running + "/cancel", Map.of()).status())
                .isEqualTo(403);
        assertThat(post(BOB, "/api/tasks/" + running + "/clone", Map.of()).status()).isEqualTo(403);
    }

    /** All that is stored about alice, and her files. */
    private String belongings() throws Exception {
        var tasks = new StringBuilder();
        for (var task : List.of(running, failed, lost, queued, draft)) {
            tasks.append(
                    get(DAVE, "/api/tasks/" + task)
                            .text()
                            .replaceAll("\"(expected|predicted|score)[^,]*,", ""));
        }
        return tasks
                + get(DAVE, "/api/tokens").text().replaceAll("\"last_used[^,}]*", "")
                + get(DAVE, "/api/scheduler/running").text()
                + get(DAVE, "/api/commands/single/all?user=alice").text()
                + get(DAVE, "/api/config").text()
                + get(DAVE, "/api/scheduler").text();
    }

    @Test
    void othersChangeNothingOfAliceByAnyRoute() throws Exception {
        open(View.BASIC);
        var before = belongings();
        int refused = 0;
        for (var user : List.of(BOB, CAROL)) {
            for (var route : server.table().routes()) {
                if (route.method() == Route.Method.GET || isOwnBusiness(route)) {
                    continue;
                }
                for (var target : targets(route)) {
                    for (var body : bodies()) {
                        var reply = send(user, route.method().name(), target, body);
                        var what = user + " " + route.method() + " " + target + " " + body;
                        assertThat(reply.status()).as(what).isBetween(400, 499);
                        assertThat(whole(reply)).as(what).doesNotContain(WORD);
                        refused++;
                    }
                }
            }
        }
        assertThat(belongings()).isEqualTo(before);
        assertThat(refused).isGreaterThan(300);
    }

    /** Valid for some route, or empty. */
    private static List<String> bodies() {
        return List.of(
                "{}",
                "{\"name\":\"x\"}",
                "{\"as\":\"ended\",\"force\":true}",
                "{\"force_start\":true}",
                "{\"gpu_left\":1}",
                "{\"worker\":\"true\"}",
                "{\"reason\":\"x\"}");
    }

    /** Routes that create or change only what belongs to the caller. */
    private static boolean isOwnBusiness(Route route) {
        return switch (route.name()) {
            case "POST /api/tasks",
                    "POST /api/tasks/batch",
                    "POST /api/tasks/preview",
                    "DELETE /api/tasks",
                    "POST /experiments/",
                    "POST /api/login",
                    "POST /api/login/links",
                    "POST /api/logout",
                    "POST /api/tokens",
                    "PUT /api/commands/{mode}",
                    "POST /api/commands/{mode}/new",
                    "POST /api/scheduler/{mode}/start",
                    "DELETE /api/learned" ->
                    true;
            default -> false;
        };
    }

    @Test
    void aViewerSubmitsNothing() throws Exception {
        open(View.BASIC);
        for (var route : server.table().routes()) {
            if (route.method() == Route.Method.GET || isAccess(route)) {
                continue;
            }
            for (var target : targets(route)) {
                var reply = send(CAROL, route.method().name(), target, "{}");
                assertThat(reply.status()).as(route.name()).isEqualTo(403);
                assertThat(reply.json().get("code").asString())
                        .as(route.name())
                        .isEqualTo("caller.is_viewer");
            }
        }
    }

    private static boolean isAccess(Route route) {
        return route.path().text().startsWith("/api/token")
                || route.path().text().startsWith("/api/log");
    }

    @Test
    void ownBusinessOfAUserTouchesNothingOfAlice() throws Exception {
        open(View.BASIC);
        var before = belongings();
        var own =
                new TreeMap<String, Object>(
                        Map.of("name", "mine", "command", "true", "devices", "cpu"));
        assertThat(post(BOB, "/api/tasks", own).status()).isEqualTo(201);
        own.put("owner", ALICE);
        assertThat(post(BOB, "/api/tasks", own).status()).isEqualTo(403);
        own.remove("owner");
        own.put("priority", "CRITICAL");
        assertThat(post(BOB, "/api/tasks", own).json().get("code").asString())
                .isEqualTo("priority.admin");
        assertThat(send(BOB, "DELETE", "/api/tasks?status=failed", "").status()).isEqualTo(200);
        var mine = TestServer.body(Map.of("content", "1\ntrue\n1\n"));
        assertThat(send(BOB, "PUT", "/api/commands/single", mine).status()).isEqualTo(200);
        var run = server.tcp().post("/api/scheduler/single/start", "", tokens.get(BOB));
        assertThat(run.status()).as(run.text()).isEqualTo(200);
        assertThat(run.json().get("owner").asString()).isEqualTo(BOB);
        assertThat(run.text()).doesNotContain(WORD);
        send(BOB, "DELETE", "/api/learned", "");
        assertThat(get(BOB, "/api/scheduler/running").json().size()).isEqualTo(1);
        assertThat(get(DAVE, "/api/scheduler/running").json().size()).isEqualTo(2);
        var runs = belongings();
        assertThat(runs).contains("\"owner\":\"bob\"");
        assertThat(get(DAVE, "/api/commands/single/all?user=alice").text()).contains(WORD);
        assertThat(before).contains(WORD);
    }

    /** The fingerprint is computed from the command: others could try guesses. */
    @Test
    void whatWasLearnedOfOthersTellsNeitherTheirMemoryNorTheirCommands() throws Exception {
        open(View.BASIC);
        var use =
                new GpuConsumption(
                        4321, 1, OptionalInt.empty(), OptionalInt.empty(), Duration.ofMinutes(5));
        server.endWithFindings(running, 0, new AttemptFindings(Optional.empty(), Optional.of(use)));
        eventually("it is learned", () -> get(ALICE, "/api/learned").text().contains("4321"));
        var own = get(ALICE, "/api/learned").json();
        for (var user : List.of(BOB, CAROL)) {
            var seen = get(user, "/api/learned");
            assertThat(seen.json()).hasSameSizeAs(own);
            assertThat(seen.text()).doesNotContain("4321").contains("\"t" + running + "\"");
            own.forEach(
                    one ->
                            assertThat(seen.text())
                                    .doesNotContain(one.get("fingerprint").asString()));
        }
        assertThat(get(DAVE, "/api/learned").text()).contains("4321");
        assertThat(send(BOB, "DELETE", "/api/learned/t" + running, "").status()).isEqualTo(404);
    }
}
