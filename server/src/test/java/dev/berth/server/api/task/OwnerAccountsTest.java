package dev.berth.server.api.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShellContext;
import dev.berth.server.TestServer;
import dev.berth.testkit.FakeAccounts;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Which account a task runs as on a server of many users. */
class OwnerAccountsTest {

    private static final String ME = System.getProperty("user.name");
    private static final Map<String, Object> SHELL =
            Map.of(
                    "environment", Map.of("PATH", "/opt/bin:/bin", "HF_TOKEN", "secret"),
                    "umask", "0027",
                    "limits", Map.of("nofile", "4096", "core", "unlimited"));
    private static final ShellContext STORED_SHELL =
            new ShellContext(
                    new TreeMap<>(Map.of("PATH", "/opt/bin:/bin", "HF_TOKEN", "secret")),
                    "0027",
                    new TreeMap<>(Map.of("nofile", 4096L, "core", ShellContext.UNLIMITED)));

    private final FakeAccounts accounts =
            new FakeAccounts().with(ME, 1000).with("alice", 1001).with("toor", 0);
    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open(TestServer.Options.system(accounts));
        server.stopScheduler();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private static Map<String, Object> task(Object... more) {
        var fields = new TreeMap<String, Object>();
        fields.put("name", "n");
        fields.put("command", "true");
        fields.put("devices", "cpu");
        for (int i = 0; i < more.length; i += 2) {
            fields.put((String) more[i], more[i + 1]);
        }
        return fields;
    }

    private static String list(List<Map<String, Object>> tasks) {
        return tasks.stream().map(TestServer::body).collect(Collectors.joining(",", "[", "]"));
    }

    private long submit(Object... more) {
        return server.submit(TestServer.body(task(more)));
    }

    private TestHttpClient.Reply refused(Object... more) {
        return server.socket().post("/api/tasks", TestServer.body(task(more)));
    }

    private Script.Text script(long task) throws Exception {
        return server.store.script(new TaskId(task)).orElseThrow();
    }

    @Test
    void aTaskRunsAsItsOwner() throws Exception {
        assertThat(script(submit()).runAs()).contains(new RunAs(ME, 1000, Optional.empty()));
        assertThat(script(submit("owner", "alice", "shell", SHELL)).runAs())
                .contains(new RunAs("alice", 1001, Optional.of(STORED_SHELL)));
    }

    @Test
    void itsDirectoryIsNotExamined() throws Exception {
        assertThat(script(submit("owner", "alice")).workDir()).isEqualTo("/home/alice");
        assertThat(script(submit("work_dir", "/closed/to/the/server")).workDir())
                .isEqualTo("/closed/to/the/server");
        var relative = refused("work_dir", "data");
        assertThat(relative.status()).isEqualTo(422);
        assertThat(relative.field()).isEqualTo("work_dir");
    }

    @ParameterizedTest
    @CsvSource({"carol,account.unknown", "1001,account.unknown", "toor,account.root"})
    void anOwnerWhoCannotRunTasksIsRefused(String owner, String code) {
        var reply = refused("owner", owner);
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.field()).isEqualTo("owner");
        assertThat(server.tasks()).isZero();
    }

    @Test
    void aNameServiceThatFailsIsNoUnknownAccount() {
        accounts.fail();
        var reply = refused();
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.code()).isEqualTo("account.unreadable");
    }

    @Test
    void aBatchAsksOnceForEachOwner() throws Exception {
        var tasks = List.of(task(), task("owner", "alice"), task(), task("owner", "alice"));
        var reply = server.socket().post("/api/tasks/batch", list(tasks));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        assertThat(accounts.lookups).hasValue(2);
        assertThat(script(4).runAs().map(RunAs::uid)).contains(1001);

        var bad = list(List.of(task(), task("owner", "carol")));
        assertThat(server.socket().post("/api/tasks/batch", bad).field()).isEqualTo("[1].owner");
    }

    @Test
    void anEditKeepsTheAccountAndTheShell() throws Exception {
        long id = submit("owner", "alice", "shell", SHELL);
        var before = script(id).runAs();
        accounts.with("alice", 2002);
        var reply =
                server.socket().patch("/api/tasks/" + id, "{\"command\":\"false\",\"env\":null}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(script(id).command()).isEqualTo("false");
        assertThat(script(id).runAs()).isEqualTo(before);
    }

    @Test
    void aCloneRunsAsItsOwnOwnerAndTakesNoForeignShell() throws Exception {
        long own = submit("shell", SHELL);
        long foreign = submit("owner", "alice", "shell", SHELL);
        for (var change : List.of("{}", "{\"name\":\"again\"}")) {
            assertThat(script(clone(own, change)).runAs())
                    .contains(new RunAs(ME, 1000, Optional.of(STORED_SHELL)));
            assertThat(script(clone(foreign, change)).runAs())
                    .contains(new RunAs(ME, 1000, Optional.empty()));
        }
    }

    private long clone(long task, String change) {
        var reply = server.socket().post("/api/tasks/" + task + "/clone", change);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.json().get("id").asLong();
    }

    @Test
    void experimentsAndFileRunsRunAsTheirOwner() throws Exception {
        assertThat(script(server.draft(task("owner", "alice"))).runAs().map(RunAs::user))
                .contains("alice");

        var run =
                Map.of(
                        "content", "1\ntrue\n1\n",
                        "command_file", "/home/x/jobs.txt",
                        "work_dir", "/closed/to/the/server",
                        "shell", SHELL);
        var reply = server.socket().post("/api/scheduler/single/start", TestServer.body(run));
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        var script = script(2);
        assertThat(script.runAs()).contains(new RunAs(ME, 1000, Optional.of(STORED_SHELL)));
        assertThat(script.workDir()).isEqualTo("/closed/to/the/server");
    }

    @Test
    void theShellIsNotShown() {
        long id = submit("shell", SHELL);
        assertThat(server.socket().get("/api/tasks/" + id).text()).doesNotContain("secret");
        assertThat(server.socket().get("/api/tasks").text()).doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{\"environment\":{\"A-B\":\"x\"}};shell.environment.A-B;shell.name",
                "{\"environment\":{\"UID\":\"0\"}};shell.environment.UID;shell.name",
                "{\"environment\":{\"BERTH_X\":\"0\"}};shell.environment.BERTH_X;shell.name",
                "{\"environment\":{\"A\":\"a\\u0000b\"}};shell.environment.A;field.bad_text",
                "{\"environment\":{\"A\":1}};shell.environment.A;field.not_text",
                "{\"umask\":\"9\"};shell.umask;shell.umask",
                "{\"limits\":{\"nofile\":\"many\"}};shell.limits.nofile;shell.limit",
                "{\"limits\":{\"files\":\"1\"}};shell.limits.files;shell.limit_unknown",
                "{\"env\":{}};shell.env;field.unknown",
                "7;shell;shell.invalid"
            })
    void anInvalidShellIsRefusedWithItsField(String shell, String field, String code) {
        var body =
                "{\"name\":\"n\",\"command\":\"true\",\"devices\":\"cpu\",\"shell\":" + shell + "}";
        var reply = server.socket().post("/api/tasks", body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo(field);
        assertThat(reply.code()).isEqualTo(code);
    }

    @Test
    void anEnvironmentHasAMaximumSize() {
        var just = Map.of("A", "x".repeat((128 << 10) - 3));
        submit("shell", Map.of("environment", just));
        var over = Map.of("A", "x".repeat((128 << 10) - 2));
        var reply = refused("shell", Map.of("environment", over));
        assertThat(reply.code()).isEqualTo("shell.too_large");
        assertThat(reply.field()).isEqualTo("shell.environment");
    }

    @Test
    void aHomeOfOneUserStoresNoAccountAndRefusesAShell() throws Exception {
        try (var personal = TestServer.open()) {
            long id = personal.submit(TestServer.cpuTask("n"));
            assertThat(personal.store.script(new TaskId(id)).orElseThrow().runAs()).isEmpty();
            var reply = personal.socket().post("/api/tasks", TestServer.body(task("shell", SHELL)));
            assertThat(reply.status()).isEqualTo(422);
            assertThat(reply.code()).isEqualTo("shell.one_user");
            assertThat(personal.socket().get("/api/server").json().get("mode").asString())
                    .isEqualTo("personal");
        }
        assertThat(server.socket().get("/api/server").json().get("mode").asString())
                .isEqualTo("system");
    }
}
