package dev.berth.server.api.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

class CommandFileRoutesTest {

    private static final String GOOD = "# mine\r\n1\r\npython a.py\r\n20\r\n\r\n2\r\nb\r\n2.5\r\n";

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void listsFilesOfAModeByIndex() throws IOException {
        for (var name : List.of("_11", "_2", "", "_1", "_0", "_02", "_x")) {
            file("command_gpu" + name + ".txt", "1\na\n20\n\n1\nb\n20\n\n2\nc\n20\n\nbad\n");
        }
        file("command_gpus_1.txt", "1\na\n2\n20\n");
        server.running.put("command_gpu_2.txt", 7L);

        var list = get("/api/commands/single/list").json();

        assertThat(list.valueStream().map(one -> one.get("config").asInt()))
                .containsExactly(1, 2, 3, 12);
        var third = list.get(2);
        assertThat(third.get("index").asInt()).isEqualTo(2);
        assertThat(third.get("file").asString()).isEqualTo("command_gpu_2.txt");
        assertThat(third.get("tasks").asInt()).isEqualTo(3);
        assertThat(third.get("queues").asInt()).isEqualTo(2);
        assertThat(third.get("problems").asInt()).isEqualTo(1);
        assertThat(third.get("running_pid").asInt()).isEqualTo(7);
        assertThat(list.get(0).get("running_pid").isNull()).isTrue();
        assertThat(third.get("modified_at").asString()).matches("20\\d\\d-.*Z");
        assertThat(get("/api/commands/multi/list").json()).hasSize(1);
    }

    @Test
    void listIsEmptyWithoutFiles() {
        assertThat(get("/api/commands/multi/list/").json()).isEmpty();
        assertThat(get("/api/commands/multi/all").json()).isEmpty();
    }

    @Test
    void unknownModeIsRejected() {
        for (var path : List.of("", "/list", "/all")) {
            var reply = get("/api/commands/foo" + path);
            assertThat(reply.status()).isEqualTo(422);
            assertThat(reply.field()).isEqualTo("mode");
        }
        assertThat(put("/api/commands/foo", GOOD).status()).isEqualTo(422);
        assertThat(server.socket().post("/api/commands/foo/new", "").status()).isEqualTo(422);
        assertThat(delete("/api/commands/foo/1").status()).isEqualTo(422);
    }

    @Test
    void showsTextAndParsedContent() throws IOException {
        file("command_gpu.txt", GOOD + "\r\n1\r\nc\r\nd\r\n1\r\n\r\noops\r\n");

        var one = get("/api/commands/single").json();

        assertThat(one.get("content").asString()).startsWith(GOOD);
        assertThat(one.get("mode").asString()).isEqualTo("single");
        assertThat(one.get("config").asInt()).isEqualTo(1);
        var queues = one.get("queues");
        assertThat(queues.valueStream().map(queue -> queue.get("queue_id").asInt()))
                .containsExactly(1, 2);
        assertThat(queues.get(0).get("tasks").toString())
                .isEqualTo(
                        "[{\"task_index\":0,\"line\":2,\"commands\":[\"python a.py\"],"
                                + "\"memory_gb\":20.0,\"gpu_count\":1,\"max_gpu\":1,"
                                + "\"log_path\":null},"
                                + "{\"task_index\":1,\"line\":10,\"commands\":[\"c\",\"d\"],"
                                + "\"memory_gb\":1.0,\"gpu_count\":1,\"max_gpu\":1,"
                                + "\"log_path\":null}]");
        assertThat(queues.get(1).at("/tasks/0/memory_gb").asDouble()).isEqualTo(2.5);
        var problem = one.get("problems").get(0);
        assertThat(problem.get("line").asInt()).isEqualTo(15);
        assertThat(problem.get("code").asString()).isEqualTo("command.one_line");
        assertThat(get("/api/commands/single/all").json().get(0)).isEqualTo(one);
    }

    @Test
    void missingFileIsNotFound() {
        for (var path : List.of("", "?config_index=1")) {
            assertThat(get("/api/commands/single" + path).status()).isEqualTo(404);
            assertThat(get("/api/commands/single" + path).code()).isEqualTo("command.missing");
        }
        assertThat(get("/api/commands/single?config_index=x").status()).isEqualTo(422);
        assertThat(get("/api/commands/single?config_index=-1").status()).isEqualTo(422);
    }

    @Test
    void contentIsStoredUnchangedAndMayCreateTheFirstFile() throws IOException {
        assertThat(put("/api/commands/single", GOOD).status()).isEqualTo(200);
        assertThat(Files.readString(path("command_gpu.txt"))).isEqualTo(GOOD);
        assertThat(Files.getPosixFilePermissions(path("command_gpu.txt")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));

        var other = "\uFEFF# 队列\n3\n\"a \\\"b\\\"\"\n1 #GB";
        var reply = put("/api/commands/single?config_index=0", other);
        assertThat(reply.json().get("content").asString()).isEqualTo(other);
        assertThat(Files.readString(path("command_gpu.txt"))).isEqualTo(other);
        assertThat(put("/api/commands/single?config_index=1", GOOD).status()).isEqualTo(404);
        assertThat(remainingFiles()).containsExactly("command_gpu.txt");
    }

    @Test
    void replacingKeepsFilePermissions() throws IOException {
        file("command_gpu.txt", "");
        var all = PosixFilePermissions.fromString("rw-r--r--");
        Files.setPosixFilePermissions(path("command_gpu.txt"), all);
        assertThat(put("/api/commands/single", GOOD).status()).isEqualTo(200);
        assertThat(Files.getPosixFilePermissions(path("command_gpu.txt"))).isEqualTo(all);
    }

    @Test
    void invalidBlockIsRejectedWithItsLine() throws IOException {
        file("command_gpu.txt", GOOD);

        var reply = put("/api/commands/single", "1\na\n20\n\none\nb\n20\n\n3\nc\n-1\n");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.code()).isEqualTo("command.bad_block");
        assertThat(reply.field()).isEqualTo("content");
        assertThat(reply.json().at("/params/line").asString()).isEqualTo("5");
        assertThat(reply.json().get("detail").asString())
                .startsWith("The file was not saved: line 5 has an error. ");
        assertThat(reply.json().get("problems").valueStream().map(p -> p.get("line").asInt()))
                .containsExactly(5, 11);
        assertThat(Files.readString(path("command_gpu.txt"))).isEqualTo(GOOD);
        assertThat(put("/api/commands/multi", GOOD).code()).isEqualTo("command.bad_block");
        assertThat(remainingFiles()).containsExactly("command_gpu.txt");
    }

    @Test
    void acceptsTasksInsteadOfText() throws IOException {
        var body =
                """
                {"queues":[{"queue_id":1,"tasks":[
                  {"commands":["# a","b "],"memory_gb":20,"gpu_count":"2-4"},
                  {"commands":["c"],"memory_gb":0.5,"gpu_count":2}]},
                 {"queue_id":0,"tasks":[{"commands":["d"],"memory_gb":0}]}]}
                """;
        var reply = send("PUT", "/api/commands/multi", body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(Files.readString(path("command_gpus.txt")))
                .isEqualTo("1\n\"# a\"\n\"b \"\n2-4\n20\n\n1\nc\n2\n0.5\n\n0\nd\n1\n0\n");
        assertThat(reply.json().at("/queues/0/tasks/0/max_gpu").asInt()).isEqualTo(4);

        // A client may send back what it received.
        var again = TestServer.body(Map.of("queues", reply.json().get("queues")));
        assertThat(send("PUT", "/api/commands/multi", again).json().get("content"))
                .isEqualTo(reply.json().get("content"));
    }

    @Test
    void invalidTasksAreRejectedWithTheirIndex() {
        record Bad(String task, String field) {}
        var place = "queues[0].tasks[0].";
        for (var bad :
                List.of(
                        new Bad("{\"commands\":[\"a\"]}", place + "memory_gb"),
                        new Bad("{\"commands\":[],\"memory_gb\":1}", place + "commands"),
                        new Bad("{\"commands\":\"a\",\"memory_gb\":1}", place + "commands"),
                        new Bad("{\"commands\":[1],\"memory_gb\":1}", place + "commands[0]"),
                        new Bad(
                                "{\"commands\":[\"a\\nb\"],\"memory_gb\":1}",
                                place + "commands[0]"),
                        new Bad("{\"commands\":[\" \"],\"memory_gb\":1}", place + "commands[0]"),
                        new Bad("{\"commands\":[\"a\"],\"memory_gb\":-1}", place + "memory_gb"),
                        new Bad(
                                "{\"commands\":[\"a\"],\"memory_gb\":1,\"gpu_count\":2}",
                                place + "gpu_count"),
                        new Bad("{\"commands\":[\"a\"],\"memory_gb\":1,\"x\":2}", place + "x"),
                        new Bad("7", "queues[0].tasks[0]"))) {
            var body = "{\"queues\":[{\"queue_id\":1,\"tasks\":[" + bad.task() + "]}]}";
            var reply = send("PUT", "/api/commands/single", body);
            assertThat(reply.status()).as(reply.text()).isEqualTo(422);
            assertThat(reply.field()).as(reply.text()).isEqualTo(bad.field());
        }
        for (var body :
                List.of(
                        "{}",
                        "{\"queues\":7}",
                        "{\"queues\":[{\"tasks\":[]}]}",
                        "{\"content\":7}",
                        "{\"content\":\"\",\"queues\":[]}",
                        "{\"text\":\"\"}")) {
            assertThat(send("PUT", "/api/commands/single", body).status()).as(body).isEqualTo(422);
        }
        assertThat(path("command_gpu.txt")).doesNotExist();
    }

    @Test
    void newFileGetsTheLowestFreeIndex() throws IOException {
        file("command_gpu.txt", GOOD);
        file("command_gpu_1.txt", GOOD);
        file("command_gpu_3.txt", GOOD);

        var reply = server.socket().post("/api/commands/single/new", "");

        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.json().get("index").asInt()).isEqualTo(2);
        assertThat(path("command_gpu_2.txt")).isEmptyFile();
        var body = TestServer.body(Map.of("content", GOOD));
        var next = server.socket().post("/api/commands/single/new", body);
        assertThat(next.json().get("file").asString()).isEqualTo("command_gpu_4.txt");
        assertThat(Files.readString(path("command_gpu_4.txt"))).isEqualTo(GOOD);
        var bad = TestServer.body(Map.of("content", "oops"));
        assertThat(server.socket().post("/api/commands/single/new", bad).status()).isEqualTo(400);
        assertThat(server.socket().post("/api/commands/multi/new", "").json().get("index").asInt())
                .isZero();
    }

    @Test
    void concurrentNewFilesGetDifferentIndexes() {
        var made =
                IntStream.range(0, 20)
                        .mapToObj(
                                _ ->
                                        TestServer.async(
                                                () ->
                                                        server.socket()
                                                                .post(
                                                                        "/api/commands/single/new",
                                                                        "")
                                                                .json()
                                                                .get("index")
                                                                .asInt()))
                        .toList();
        assertThat(made.stream().map(CompletableFuture::join))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 20).boxed().toList());
    }

    @Test
    void deletesAllButTheFirstAndRunningFiles() throws IOException {
        file("command_gpu.txt", GOOD);
        file("command_gpu_1.txt", GOOD);
        file("command_gpu_2.txt", GOOD);
        server.running.put("command_gpu_2.txt", 5L);

        var reply = delete("/api/commands/single/1");
        assertThat(reply.text().strip()).isEqualTo("{\"deleted\":\"command_gpu_1.txt\"}");
        assertThat(remainingFiles()).containsExactly("command_gpu.txt", "command_gpu_2.txt");
        assertThat(delete("/api/commands/single/0").status()).isEqualTo(400);
        assertThat(delete("/api/commands/single/1").status()).isEqualTo(404);
        assertThat(delete("/api/commands/single/2").status()).isEqualTo(409);
        assertThat(delete("/api/commands/single/2").json().at("/params/pid").asString())
                .isEqualTo("5");
        server.running.clear();
        assertThat(delete("/api/commands/single/2/").status()).isEqualTo(200);
        assertThat(delete("/api/commands/single/x").status()).isEqualTo(422);
    }

    @Test
    void defaultFileIsTheFirstIfThereIsNoOther() throws IOException {
        var usual = server.home.resolve("command.txt");
        Files.writeString(usual, "a\n3,20\n");
        assertThat(get("/api/commands/single").json().get("file").asString())
                .isEqualTo("command.txt");
        assertThat(get("/api/commands/single/list").json()).hasSize(1);
        assertThat(put("/api/commands/single", GOOD).status()).isEqualTo(200);
        assertThat(Files.readString(usual)).isEqualTo(GOOD);
        assertThat(server.socket().post("/api/commands/single/new", "").json().get("index").asInt())
                .isEqualTo(1);
        assertThat(get("/api/commands/multi").status()).isEqualTo(404);

        file("command_gpu.txt", "");
        assertThat(get("/api/commands/single").json().get("file").asString())
                .isEqualTo("command_gpu.txt");
    }

    @Test
    void tooLargeFileIsRejectedAndNotRead() throws IOException {
        var limit = 10 << 20;
        assertThat(put("/api/commands/single", "#".repeat(limit + 1)).status()).isEqualTo(413);
        assertThat(put("/api/commands/single", "#".repeat(13 << 20)).status()).isEqualTo(413);
        assertThat(path("command_gpu.txt")).doesNotExist();
        assertThat(put("/api/commands/single", "#".repeat(limit)).status()).isEqualTo(200);

        file("command_gpu_1.txt", "#".repeat(limit + 1));
        var reply = get("/api/commands/single?config_index=1");
        assertThat(reply.status()).isEqualTo(413);
        assertThat(reply.code()).isEqualTo("command.too_large");
        var all = get("/api/commands/single/all").json();
        assertThat(all.get(1).at("/problems/0/code").asString()).isEqualTo("command.too_large");
        assertThat(get("/api/commands/single/list").json().get(1).get("problems").asInt())
                .isEqualTo(1);
        for (int i = 2; i < 4; i++) {
            file("command_gpu_" + i + ".txt", "#".repeat(limit));
        }
        assertThat(get("/api/commands/single/all").code()).isEqualTo("command.all_too_large");
    }

    @Test
    void ignoresLinksOutsideAndNonFiles() throws Exception {
        var secret = Files.writeString(server.home.resolve("secret.txt"), "1\na\n20\n");
        var directory = Files.createDirectories(server.home.resolve("command"));
        Files.createSymbolicLink(directory.resolve("command_gpu.txt"), secret);
        Files.createSymbolicLink(directory.resolve("command_gpu_1.txt"), Path.of("other.txt"));
        file("other.txt", "1\nlinked\n20\n");
        Files.createDirectory(directory.resolve("command_gpu_2.txt"));
        var pipe = directory.resolve("command_gpu_3.txt").toString();
        assertThat(new ProcessBuilder("mkfifo", pipe).start().waitFor()).isZero();

        assertThat(get("/api/commands/single/list").json()).hasSize(1);
        for (int index : new int[] {0, 2, 3}) {
            assertThat(get("/api/commands/single?config_index=" + index).status()).isEqualTo(404);
        }
        assertThat(put("/api/commands/single", GOOD).status()).isEqualTo(409);
        assertThat(Files.readString(secret)).isEqualTo("1\na\n20\n");
        assertThat(put("/api/commands/single?config_index=1", GOOD).status()).isEqualTo(200);
        assertThat(Files.readString(directory.resolve("other.txt"))).isEqualTo(GOOD);
        assertThat(Files.isSymbolicLink(directory.resolve("command_gpu_1.txt"))).isTrue();
        assertThat(server.socket().post("/api/commands/single/new", "").json().get("index").asInt())
                .isEqualTo(4);
    }

    @Test
    void reportsADirectoryThatCannotBeCreated() throws IOException {
        Files.writeString(server.home.resolve("command"), "in the way");
        assertThat(get("/api/commands/single/list").json()).isEmpty();
        var reply = put("/api/commands/single", GOOD);
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.json().get("detail").asString())
                .contains("NotDirectory", server.home.resolve("command").toString());
        assertThat(server.socket().post("/api/commands/single/new", "").code())
                .isEqualTo("file.failed");
    }

    private Path path(String name) {
        return server.home.resolve("command").resolve(name);
    }

    private void file(String name, String text) throws IOException {
        Files.createDirectories(server.home.resolve("command"));
        Files.writeString(path(name), text);
    }

    private List<String> remainingFiles() throws IOException {
        try (var entries = Files.list(server.home.resolve("command"))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    private TestHttpClient.Reply get(String path) {
        return server.socket().get(path);
    }

    private TestHttpClient.Reply put(String path, String content) {
        return send("PUT", path, TestServer.body(Map.of("content", content)));
    }

    private TestHttpClient.Reply delete(String path) {
        return send("DELETE", path, "");
    }

    private TestHttpClient.Reply send(String method, String path, String body) {
        return server.socket().send(method, path, List.of(), body.getBytes(StandardCharsets.UTF_8));
    }
}
