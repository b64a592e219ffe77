package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.lane.Block;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.Mode;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.Command;
import dev.berth.engine.Reply;

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

    private Premises premises;
    private Path file;

    @BeforeEach
    void open() throws Exception {
        premises = Premises.open();
        file = premises.home.resolve("logs/uni_id.json");
        Files.createDirectories(file.getParent());
    }

    @AfterEach
    void close() throws Exception {
        premises.close();
    }

    @Test
    void listsFirstAndRemovesWhenTold() throws Exception {
        Files.writeString(
                file,
                """
                {"dead": {"pid": 77, "state": "running", "retry_count": 0},
                 "never": {"state": "running"},
                 "done": {"pid": 77, "state": "normal_exit"},
                 "theirs": {"pid": 88, "state": "running"},
                 "word": "running"}
                """);
        premises.strays.processes.put(88L, Optional.empty());
        premises.strays.processes.put(99L, Optional.of(new AttemptId(new TaskId(41), 2)));
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
        assertThat(premises.socket().post("/api/cleanup", "").json().toString())
                .isEqualTo(expected);

        assertThat(get()).isEqualTo(NOTHING);
        assertThat(tree().propertyNames()).containsExactly("done", "theirs", "word");
        assertThat(premises.strays.processes).containsOnlyKeys(88L);
        assertThat(premises.socket().post("/api/cleanup/", "").json().toString())
                .isEqualTo(NOTHING);
    }

    @Test
    void whatIsLiveIsNeverTouched() throws Exception {
        var task = started();
        var live = new AttemptId(task.id(), 1);
        premises.strays.processes.put(55L, Optional.of(live));
        eventually("its record stands", () -> Files.exists(file) && tree().has(task.uniId()));
        // An outside pid, long gone.
        var tree = tree();
        tree.withObject("/" + task.uniId()).put("pid", 66);
        tree.putObject("of_live").put("pid", 55).put("state", "running");
        Files.writeString(file, tree.toString());

        assertThat(get()).isEqualTo(NOTHING);
        assertThat(premises.socket().post("/api/cleanup", "{}").json().toString())
                .isEqualTo(NOTHING);
        assertThat(premises.strays.processes).containsOnlyKeys(55L);
        assertThat(tree().path(task.uniId()).path("pid").asInt()).isEqualTo(66);
    }

    @Test
    void anOldTryOfBerthsOwnDoesNotRunWhoeverHasItsPidNow() throws Exception {
        var task = started();
        premises.node.end(new AttemptId(task.id(), 1), 0);
        eventually("the run is over", () -> premises.engine.state().books().runs().isEmpty());
        eventually("its record stands", () -> Files.exists(file) && tree().has(task.uniId()));
        var stranger = Long.toString(Long.parseLong(task.uniId().split("_")[0], 36) + 1, 36);
        premises.strays.processes.put(88L, Optional.empty());
        var text =
                """
                {"%s": {"pid": 88, "state": "running"}, "%s_0": {"pid": 88, "state": "running"}}
                """
                        .formatted(task.uniId(), stranger);
        // The book may still be about to forget the run, and sets its record right till then.
        eventually(
                "the record is nobody's",
                () -> {
                    Files.writeString(file, text);
                    return get().contains(task.uniId());
                });

        assertThat(get())
                .isEqualTo(
                        "{\"records\":[{\"uni_id\":\"%s\",\"pid\":88,\"state\":\"running\"}],\"processes\":[]}"
                                .formatted(task.uniId()));
    }

    @Test
    void whereBerthCannotLookItSaysSo() {
        premises.strays.isUnreadable = true;
        var reply = premises.socket().get("/api/cleanup");
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.json().path("code").asString()).isEqualTo("cleanup.unable");
    }

    @Test
    void takesNoFields() {
        var reply = premises.socket().post("/api/cleanup", "{\"force\":true}");
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo("force");
    }

    private String get() {
        return premises.socket().get("/api/cleanup").json().toString();
    }

    private ObjectNode tree() throws Exception {
        return (ObjectNode) JsonMapper.shared().readTree(Files.readAllBytes(file));
    }

    private Task started() {
        var form =
                new Command.RunForm(
                        Mode.SINGLE,
                        OptionalInt.empty(),
                        "command.txt",
                        LaneRun.Origin.TERMINAL,
                        Priority.NORMAL,
                        "/");
        var block = new Block(1, 1, List.of("true"), 0, Need.Count.of(1));
        var start =
                new Command.StartRun(
                        premises.engine.now(), Owner.unix("ann"), form, List.of(block));
        var run = ((Reply.Ran) premises.engine.ask(start).join()).run();
        var attempt = new AttemptId(run.first(), 1);
        eventually(
                "it runs",
                () ->
                        premises.engine.state().attempts().get(attempt).stream()
                                .anyMatch(one -> one.phase() instanceof Phase.Running));
        return premises.store.find(run.first()).orElseThrow().task();
    }
}
