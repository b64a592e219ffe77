package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Models on the server of a machine: whose workers run, for whom, and who sees what. */
@Tag("slow")
final class SystemModelsTest {

    /** Answers each task with its own uid, and writes one line to the log of the task. */
    private static final String WORKER =
            """
            printf '{"type":"ready"}\\n'
            while IFS= read -r line; do
              case $line in
                *'"type":"run"'*)
                  task=${line#*'"task":'}; task=${task%%[!0-9]*}
                  printf '{"type":"log","task":%s,"line":"line of task %s"}\\n' "$task" "$task"
                  printf '{"type":"result","task":%s,"value":%s}\\n' "$task" "$UID" ;;
                *ping*) printf '{"type":"pong"}\\n' ;;
                *stop*) exit 0 ;;
              esac
            done
            """;

    private SystemHarness harness;
    private SystemProcesses system;
    private TestAccounts.Account ann;
    private TestAccounts.Account bob;
    private TestAccounts.Account service;

    @BeforeEach
    void start() throws Exception {
        harness = SystemHarness.start("sim:2x24576", 3);
        system = harness.processes();
        ann = harness.user(0);
        bob = harness.user(1);
        service = harness.user(2);
    }

    @AfterEach
    void stop() throws Exception {
        if (harness != null) {
            harness.close();
        }
    }

    private UserTestClient as(TestAccounts.Account user) {
        return harness.as(user);
    }

    private static String model() {
        return model(Map.of());
    }

    private static String model(Map<String, Object> more) {
        var fields = new TreeMap<String, Object>(more);
        fields.put("worker", WORKER);
        fields.put("memory_mb", 1000);
        return TestClient.JSON.writeValueAsString(fields);
    }

    private static String call(String model) {
        return "{\"name\":\"call\",\"model_name\":\"" + model + "\",\"params\":{}}";
    }

    private JsonNode result(TestAccounts.Account user, String model) {
        var client = as(user);
        long id = client.post("/api/tasks", call(model)).expect(201).path("id").asLong();
        var task = client.api().awaitEnd(id);
        assertThat(task.path("status").asString()).as(task.toString()).isEqualTo("completed");
        return task;
    }

    @Test
    void aModelOfAUserRunsAsThatUserAndServesThatUserOnly() throws Exception {
        as(ann).put("/api/models/mine", model()).expect(200);

        var task = result(ann, "mine");

        assertThat(task.path("result").asInt()).isEqualTo(ann.uid());
        long id = task.path("id").asLong();
        assertLogIsReadBy(id, ann, bob);
        assertPipesAreOf(ann, bob);
        assertRefused(as(bob).post("/api/tasks", call("mine")), 422, "model.of_other");
        assertRefused(as(bob).put("/api/models/mine", model()), 403, "model.foreign");
        assertRefused(as(bob).post("/api/models/mine/unload", "{}"), 403, "model.foreign");
        var seen = as(bob).get("/api/models/mine").expect(200);
        assertThat(seen.path("worker").asString()).isEmpty();
        assertThat(seen.path("owner").asString()).isEqualTo(ann.name());
        assertThat(as(ann).get("/api/models/mine").expect(200).path("worker").asString())
                .isEqualTo(WORKER.strip());
        long worker = seen.path("workers").get(0).path("task_id").asLong();
        assertThat(as(ann).get("/api/tasks/" + worker + "/logs").status()).isEqualTo(200);
        assertThat(as(bob).get("/api/tasks/" + worker + "/logs").status()).isEqualTo(403);
    }

    @Test
    void aModelOfAllUsersRunsAsTheAccountThatAnAdminNames() throws Exception {
        var root = system.api().client();
        var forAll = model(Map.of("run_as", service.name()));
        assertRefused(as(ann).put("/api/models/all", forAll), 403, "run_as.admin");
        assertRefused(
                root.put("/api/models/all", model(Map.of("run_as", "root"))), 422, "account.root");
        root.put("/api/models/all", forAll).expect(200);

        var task = result(bob, "all");

        assertThat(task.path("result").asInt()).isEqualTo(service.uid());
        assertLogIsReadBy(task.path("id").asLong(), bob, ann);
        assertPipesAreOf(service, bob);
        // The same worker serves the next user, who sees nothing of the first.
        var other = result(ann, "all");
        assertLogIsReadBy(other.path("id").asLong(), ann, bob);
        var workers = root.get("/api/models/all").expect(200).path("workers");
        assertThat(workers).hasSize(1);
        assertThat(as(ann).get("/api/tasks/" + task.path("id") + "/logs").status()).isEqualTo(403);
        assertRefused(as(ann).put("/api/models/all", model()), 403, "model.foreign");
        assertThat(as(ann).put("/api/models/own", model(Map.of("prewarm", true))).status())
                .isEqualTo(403);
    }

    @Test
    void workersEndWithTheirServerAndTheNextTaskGetsANewOne() throws Exception {
        as(ann).put("/api/models/mine", model()).expect(200);
        result(ann, "mine");
        system.server().kill();
        system.launchServer();
        system.server().awaitReady();

        assertThat(result(ann, "mine").path("result").asInt()).isEqualTo(ann.uid());
        system.node().kill();
        system.launchNode();
        system.awaitNode();

        eventually(
                "a worker of the new node answers",
                () -> {
                    var task = as(ann).post("/api/tasks", call("mine")).expect(201);
                    var ended = as(ann).api().awaitEnd(task.path("id").asLong());
                    return ended.path("status").asString().equals("completed");
                });
        eventually("one worker of the user is left", () -> shells(ann) == 1);
    }

    private static long shells(TestAccounts.Account user) {
        return SystemProcesses.processesOf(List.of(user.uid())).size();
    }

    private static void assertRefused(TestClient.TestReply reply, int status, String code) {
        assertThat(reply.expect(status).path("code").asString()).isEqualTo(code);
    }

    /** Through the API and by its path. */
    private void assertLogIsReadBy(
            long id, TestAccounts.Account owner, TestAccounts.Account other) {
        var line = "line of task " + id;
        assertThat(as(owner).api().log(id, 10)).containsExactly(line);
        assertThat(as(other).get("/api/tasks/" + id + "/logs").status()).isEqualTo(403);
        var path = system.attempt(id, 1).resolve("tmux.log").toString();
        assertThat(UserTestClient.run(owner.name(), List.of("/bin/cat", path), "").output())
                .isEqualTo(line + "\n");
        assertThat(UserTestClient.run(other.name(), List.of("/bin/cat", path), "").status())
                .isNotZero();
    }

    /** Only the worker's account can open them; nobody can create or replace one. */
    private void assertPipesAreOf(TestAccounts.Account worker, TestAccounts.Account other)
            throws IOException {
        var directory = workerDirectory();
        for (var name : List.of("worker.in", "worker.out")) {
            var pipe = directory.resolve(name);
            assertThat(Files.getAttribute(pipe, "unix:uid")).isEqualTo(0);
            var test = name.equals("worker.in") ? "-r" : "-w";
            assertThat(can(worker, test, pipe)).isTrue();
            assertThat(can(worker, name.equals("worker.in") ? "-w" : "-r", pipe)).isFalse();
            assertThat(can(other, "-r", pipe) || can(other, "-w", pipe)).isFalse();
            assertThat(can(worker, "-w", directory)).isFalse();
        }
    }

    private static boolean can(TestAccounts.Account user, String test, Path path) {
        var program = List.of("/usr/bin/test", test, path.toString());
        return UserTestClient.run(user.name(), program, "").status() == 0;
    }

    private Path workerDirectory() {
        var workers = system.api().client().get("/api/workers").expect(200);
        for (var gpu : workers) {
            for (var worker : gpu.path("models")) {
                return system.attempt(worker.path("task_id").asLong(), 1);
            }
        }
        throw new AssertionError("no worker: " + workers);
    }
}
