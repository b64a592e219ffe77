package dev.berth.server.api.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class LogBindingRoutesTest {

    private static final String CONTENT = "/api/log/content?mode=single&queue_id=1&task_index=0";

    @TempDir Path elsewhere;

    private TestServer server;
    private Path logs;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        logs = Files.createDirectories(server.home.resolve("logs"));
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void bindingIsStoredListedAndShownWithItsTask() throws IOException {
        var command = Files.createDirectories(server.home.resolve("command"));
        var text = "1\na\n20\n\n1\nb\n20\n";
        Files.writeString(command.resolve("command_gpu.txt"), text);

        var reply = bind(Map.of("task_index", 1, "log_path", "logs/b.log"));

        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(reply.json().get("log_path").asString()).isEqualTo("logs/b.log");
        assertThat(reply.json().get("bound_at").asString()).matches("20\\d\\d-.*Z");
        var listed = get("/api/log/bindings").json();
        assertThat(listed).hasSize(1);
        assertThat(listed.get(0)).isEqualTo(reply.json());
        assertThat(listed)
                .isEqualTo(JsonMapper.shared().readTree(Files.readString(bindingsFile())));
        var tasks = get("/api/commands/single").json().at("/queues/0/tasks");
        assertThat(tasks.get(0).get("log_path").isNull()).isTrue();
        assertThat(tasks.get(1).get("log_path").asString()).isEqualTo("logs/b.log");
        assertThat(Files.readString(command.resolve("command_gpu.txt"))).isEqualTo(text);
    }

    @Test
    void rebindingReplacesAndAnEmptyPathRemoves() {
        bind(Map.of("log_path", "logs/a.log"));
        bind(Map.of("log_path", "logs/b.log"));
        bind(Map.of("mode", "multi", "log_path", "logs/c.log"));
        assertThat(paths()).containsExactly("logs/c.log", "logs/b.log");

        var reply = bind(Map.of("log_path", " "));
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().get("bound_at").isNull()).isTrue();
        assertThat(paths()).containsExactly("logs/c.log");
        assertThat(bind(Map.of("log_path", "")).status()).isEqualTo(200);
    }

    @Test
    void invalidFieldsAreNamed() {
        for (var name : List.of("mode", "config_index", "queue_id", "task_index", "log_path")) {
            var fields = binding(Map.of("log_path", "logs/a.log"));
            fields.remove(name);
            var reply = server.socket().post("/api/log/bind", TestServer.body(fields));
            assertThat(reply.status()).as(name).isEqualTo(422);
            assertThat(reply.field()).isEqualTo(name);
        }
        assertThat(bind(Map.of("mode", "foo", "log_path", "logs/a")).field()).isEqualTo("mode");
        assertThat(bind(Map.of("queue_id", -1, "log_path", "logs/a")).field())
                .isEqualTo("queue_id");
        assertThat(bind(Map.of("log_path", "logs/" + "a".repeat(5000))).status()).isEqualTo(422);
        assertThat(bind(Map.of("log_path", "logs/a", "x", 1)).field()).isEqualTo("x");
        assertThat(paths()).isEmpty();
    }

    @Test
    void bindsOnlyAllowedPaths() throws IOException {
        var work = Files.createDirectory(elsewhere.resolve("work"));
        Files.createDirectory(elsewhere.resolve("work2"));
        server.workDirs.add(work);
        assertThat(bind(Map.of("log_path", work + "/deep/a.log")).status()).isEqualTo(200);
        assertThat(bind(Map.of("log_path", elsewhere + "/work2/a.log")).status()).isEqualTo(403);
        assertThat(bind(Map.of("log_path", work + "/../a.log")).status()).isEqualTo(403);
        assertThat(bind(Map.of("log_path", work + "/no/../../a.log")).status()).isEqualTo(403);
        assertThat(bind(Map.of("log_path", "/etc/passwd")).code()).isEqualTo("log.outside");
        assertThat(bind(Map.of("log_path", "runtime/tasks.db")).status()).isEqualTo(403);
        Files.createDirectory(work.resolve("directory"));
        assertThat(bind(Map.of("log_path", work + "/directory")).status()).isEqualTo(400);
        assertThat(bind(Map.of("log_path", work.toString())).status()).isEqualTo(403);
    }

    @Test
    void rejectsLogsInsideTheHome() throws IOException {
        var home = server.home;
        server.workDirs.add(home.getParent());
        server.workDirs.add(home);
        Files.createDirectories(home.resolve("runtime/tasks/task_1"));
        var beside = Files.createSymbolicLink(elsewhere.resolve("home"), home);
        server.workDirs.add(elsewhere);
        Files.createSymbolicLink(elsewhere.resolve("direct"), home.resolve("lock.holder"));
        for (var own :
                List.of(
                        "lock.holder",
                        "config.yaml",
                        "runtime/tasks.db",
                        "runtime/tasks/task_1/tmux.log",
                        "logs/audit.log",
                        "logs/audit.log.1.gz",
                        "logs/berth.log",
                        "not-there-yet.log")) {
            if (!own.startsWith("not")) {
                Files.writeString(home.resolve(own), "secret\n");
            }
            for (var path : List.of(own, home.resolve(own), beside.resolve(own))) {
                var reply = bind(Map.of("log_path", path.toString()));
                assertThat(reply.code()).as(path.toString()).isEqualTo("log.outside");
            }
        }
        assertThat(bind(Map.of("log_path", elsewhere + "/direct")).status()).isEqualTo(403);
        assertThat(bind(Map.of("log_path", elsewhere + "/mine.log")).status()).isEqualTo(200);
        Files.createSymbolicLink(elsewhere.resolve("mine.log"), home.resolve("runtime/tasks.db"));
        assertThat(get(CONTENT).code()).isEqualTo("log.outside");
        assertThat(bind(Map.of("log_path", beside + "/logs/a.log")).status()).isEqualTo(200);
        assertThat(read("logs/audit.log").status()).isEqualTo(200);

        server.logRoots.add(Files.createDirectory(home.resolve("work")));
        assertThat(bind(Map.of("log_path", "work/a.log")).status()).isEqualTo(200);
    }

    @Test
    void readsTheEndOfABoundLog() throws IOException {
        assertThat(get(CONTENT).code()).isEqualTo("log.unbound");
        assertThat(get(CONTENT).status()).isEqualTo(404);
        bind(Map.of("log_path", "logs/a.log"));
        var absent = get(CONTENT);
        assertThat(absent.status()).isEqualTo(404);
        assertThat(absent.code()).isEqualTo("log.absent");
        assertThat(absent.json().get("detail").asString()).contains("logs/a.log");

        Files.writeString(logs.resolve("a.log"), numbers(250));
        var reply = get(CONTENT).json();
        assertThat(reply.get("lines")).hasSize(100);
        assertThat(reply.get("lines").get(99).asString()).isEqualTo("250");
        assertThat(reply.get("truncated").asBoolean()).isTrue();
        assertThat(reply.get("log_path").asString()).isEqualTo("logs/a.log");
        assertThat(get(CONTENT + "&config_index=0&tail=3").json().get("lines")).hasSize(3);
        assertThat(get(CONTENT + "&tail=5001").status()).isEqualTo(422);
        assertThat(get(CONTENT + "&tail=0").status()).isEqualTo(422);
        assertThat(get("/api/log/content?mode=single&queue_id=1").field()).isEqualTo("task_index");
        assertThat(get(CONTENT.replace("single", "foo")).field()).isEqualTo("mode");
    }

    @Test
    void boundLinkThatLeadsOutsideIsNotRead() throws IOException {
        bind(Map.of("log_path", "logs/a.log"));
        Files.createSymbolicLink(logs.resolve("a.log"), Path.of("/etc/passwd"));
        assertThat(get(CONTENT).status()).isEqualTo(403);
    }

    @Test
    void readsOnlyAllowedPaths() throws Exception {
        Files.writeString(logs.resolve("a.log"), "one\ntwo\n");
        var root = Files.createDirectory(elsewhere.resolve("logs"));
        Files.createDirectory(elsewhere.resolve("logs2"));
        Files.writeString(elsewhere.resolve("logs2/b.log"), "secret");
        Files.writeString(root.resolve("b.log"), "three");
        server.logRoots.add(root);
        server.workDirs.add(elsewhere.resolve("logs2"));
        Files.createSymbolicLink(logs.resolve("out"), elsewhere.resolve("logs2"));
        Files.createSymbolicLink(logs.resolve("in.log"), root.resolve("b.log"));
        Files.createSymbolicLink(logs.resolve("circle"), Path.of("circle"));
        Files.createSymbolicLink(logs.resolve("nowhere"), elsewhere.resolve("nothing"));

        assertThat(read("logs/a.log").json().get("lines").toString())
                .isEqualTo("[\"one\",\"two\"]");
        assertThat(read(logs.resolve("a.log").toString()).status()).isEqualTo(200);
        assertThat(read("logs/in.log").json().get("lines").get(0).asString()).isEqualTo("three");
        assertThat(read(root + "/b.log").status()).isEqualTo(200);
        for (var outside :
                List.of(
                        elsewhere + "/logs2/b.log",
                        "logs/out/b.log",
                        "logs/circle",
                        "logs/nowhere",
                        "../../etc/passwd",
                        "logs/../../../etc/passwd",
                        "logs/no/../../../../etc/passwd",
                        "/etc/passwd",
                        "/dev/zero",
                        "/nothing/at/all",
                        "/proc/self/environ",
                        "logs",
                        "berth.sock",
                        "/")) {
            assertThat(read(outside).status()).as(outside).isEqualTo(403);
            assertThat(read(outside).code()).isEqualTo("log.outside");
        }
    }

    @Test
    void neverOpensNonFiles() throws Exception {
        Files.createDirectory(logs.resolve("state"));
        var pipe = logs.resolve("pipe").toString();
        assertThat(new ProcessBuilder("mkfifo", pipe).start().waitFor()).isZero();
        assertThat(read("logs/state").status()).isEqualTo(400);
        assertThat(read("logs/pipe").status()).isEqualTo(400);
        assertThat(read("logs/none.log").code()).isEqualTo("log.absent");
        assertThat(read("a\u0000b").status()).isEqualTo(422);
        assertThat(read("").status()).isEqualTo(422);
        assertThat(get("/api/log/read").field()).isEqualTo("path");
        assertThat(read("logs/none.log").field()).isEmpty();
    }

    @Test
    void brokenBindingsFileIsSetAside() throws IOException {
        bind(Map.of("log_path", "logs/a.log"));
        for (var broken :
                List.of("{", "{}", "[1]", "[{\"mode\":\"single\"}]", "[".repeat(100_000), "")) {
            Files.writeString(bindingsFile(), broken);
            assertThat(paths()).as(broken).isEmpty();
            assertThat(bindingsFile()).doesNotExist();
        }
        try (var left = Files.list(bindingsFile().getParent())) {
            assertThat(left.map(file -> file.getFileName().toString()).sorted())
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(1, 6)
                                    .mapToObj(n -> "log_bindings.json.broken-" + n)
                                    .toList());
        }
        assertThat(bind(Map.of("log_path", "logs/a.log")).status()).isEqualTo(200);
        assertThat(paths()).containsExactly("logs/a.log");
    }

    @Test
    void concurrentBindingsAreAllStored() {
        var all =
                IntStream.range(0, 20)
                        .mapToObj(
                                task ->
                                        TestServer.async(
                                                () ->
                                                        bind(
                                                                Map.of(
                                                                        "task_index",
                                                                        task,
                                                                        "log_path",
                                                                        "logs/x.log"))))
                        .toList();
        all.forEach(one -> assertThat(one.join().status()).isEqualTo(200));
        assertThat(paths()).hasSize(20);
    }

    private static String numbers(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(n -> n + "\n")
                .collect(Collectors.joining());
    }

    private Path bindingsFile() {
        return server.home.resolve("control/logs/log_bindings.json");
    }

    private List<String> paths() {
        return get("/api/log/bindings")
                .json()
                .valueStream()
                .map(one -> one.get("log_path").asString())
                .toList();
    }

    private static TreeMap<String, Object> binding(Map<String, ?> fields) {
        var all = new TreeMap<String, Object>();
        all.put("mode", "single");
        all.put("config_index", 0);
        all.put("queue_id", 1);
        all.put("task_index", 0);
        all.putAll(fields);
        return all;
    }

    private TestHttpClient.Reply bind(Map<String, ?> fields) {
        return server.socket().post("/api/log/bind", TestServer.body(binding(fields)));
    }

    private TestHttpClient.Reply read(String path) {
        return get("/api/log/read?path=" + URLEncoder.encode(path, StandardCharsets.UTF_8));
    }

    private TestHttpClient.Reply get(String path) {
        return server.socket().get(path);
    }
}
