package dev.berth.server.api.run;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.commandfile.Block;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

class CleanupRoutesTest {

    private static final String NOTHING = "{\"records\":[],\"processes\":[]}";

    private TestServer server;
    private Path file;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        file = server.home.resolve("logs/uni_id.json");
        Files.createDirectories(file.getParent());
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void listsLeftoversAndRemovesThemOnRequest() throws Exception {
        Files.writeString(
                file,
                """
                {"dead": {"pid": 77, "state": "running", "retry_count": 0},
                 "never": {"state": "running"},
                 "done": {"pid": 77, "state": "normal_exit"},
                 "theirs": {"pid": 88, "state": "running"},
                 "word": "running"}
                """);
        server.strays.processes.put(88L, Optional.empty());
        server.strays.processes.put(99L, Optional.of(new AttemptId(new TaskId(41), 2)));
        var expected =
                """
                {"records":[{"uni_id":"dead","pid":77,"state":"running"},\
                {"uni_id":"never","pid":null,"state":"running"}],\
                "processes":[{"pid":99,"program":"python","task_id":41,"attempt":2,\
                "since":"2025-11-15T08:00:00.000000Z"}]}\
                """;

        for (int look = 0; look < 2; look++) {
            assertThat(get()).isEqualTo(expected);
        }
        assertThat(server.socket().post("/api/cleanup", "").json().toString()).isEqualTo(expected);

        assertThat(get()).isEqualTo(NOTHING);
        assertThat(readJson().propertyNames()).containsExactly("done", "theirs", "word");
        assertThat(server.strays.processes).containsOnlyKeys(88L);
        assertThat(server.socket().post("/api/cleanup/", "").json().toString()).isEqualTo(NOTHING);
    }

    @Test
    void neverTouchesLiveAttempts() throws Exception {
        var task = started();
        var live = new AttemptId(task.id(), 1);
        server.strays.processes.put(55L, Optional.of(live));
        eventually("its record stands", () -> Files.exists(file) && readJson().has(task.uniId()));
        // A pid from outside Berth whose process has ended.
        var json = readJson();
        json.withObject("/" + task.uniId()).put("pid", 66);
        json.putObject("of_live").put("pid", 55).put("state", "running");
        Files.writeString(file, json.toString());

        assertThat(get()).isEqualTo(NOTHING);
        assertThat(server.socket().post("/api/cleanup", "{}").json().toString()).isEqualTo(NOTHING);
        assertThat(server.strays.processes).containsOnlyKeys(55L);
        assertThat(readJson().path(task.uniId()).path("pid").asInt()).isEqualTo(66);
    }

    @Test
    void oldAttemptIsNotRunningEvenIfItsPidIsReused() throws Exception {
        var task = started();
        server.node.end(new AttemptId(task.id(), 1), 0);
        eventually("the run is over", () -> server.engine.state().durable().fileRuns().isEmpty());
        eventually("its record stands", () -> Files.exists(file) && readJson().has(task.uniId()));
        var stranger = Long.toString(Long.parseLong(task.uniId().split("_")[0], 36) + 1, 36);
        server.strays.processes.put(88L, Optional.empty());
        var text =
                """
                {"%s": {"pid": 88, "state": "running"}, "%s_0": {"pid": 88, "state": "running"}}
                """
                        .formatted(task.uniId(), stranger);
        var expected =
                "{\"records\":[{\"uni_id\":\"%s\",\"pid\":88,\"state\":\"running\"}],\"processes\":[]}"
                        .formatted(task.uniId());
        // The run may not be forgotten yet; until then its record is restored.
        eventually(
                "the record is nobody's",
                () -> {
                    Files.writeString(file, text);
                    return get().equals(expected);
                });
    }

    @Test
    void reportsUnreadableProcesses() {
        server.strays.isUnreadable = true;
        var reply = server.socket().get("/api/cleanup");
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.json().path("code").asString()).isEqualTo("cleanup.unable");
    }

    @Test
    void rejectsUnknownFields() {
        var reply = server.socket().post("/api/cleanup", "{\"force\":true}");
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo("force");
    }

    private String get() {
        return server.socket().get("/api/cleanup").json().toString();
    }

    private ObjectNode readJson() throws Exception {
        return (ObjectNode) JsonMapper.shared().readTree(Files.readAllBytes(file));
    }

    private Task started() {
        var form =
                new EngineCommand.FileRunOptions(
                        FileMode.SINGLE,
                        OptionalInt.empty(),
                        "command.txt",
                        FileRun.Origin.TERMINAL,
                        Priority.NORMAL,
                        "/");
        var block = new Block(1, 1, List.of("true"), 0, Need.GpuCount.of(1));
        var start =
                new EngineCommand.StartFileRun(
                        server.engine.now(),
                        Owner.unix("ann"),
                        form,
                        new CommandFile(FileMode.SINGLE, List.of(block), List.of()));
        var run = ((EngineReply.FileRunChanged) server.engine.ask(start).join()).run();
        var attempt = new AttemptId(run.firstTask(), 1);
        eventually(
                "it runs",
                () ->
                        server.engine.state().attempts().get(attempt).stream()
                                .anyMatch(one -> one.phase() instanceof Phase.Running));
        return server.store.find(run.firstTask()).orElseThrow().task();
    }
}
