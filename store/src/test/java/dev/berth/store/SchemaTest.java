package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Requirements;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShellContext;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.core.task.TaskTransition;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.SchedulerState;
import dev.berth.port.SubmitKey;
import dev.berth.port.SubmitKeyUse;
import dev.berth.port.event.UnknownPayload;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;
import dev.berth.port.read.TaskQueries.TaskRecord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The schema as a SQL shell shows it, and the migration of databases of all versions. */
class SchemaTest {

    private static final Instant NOON = Instant.parse("2025-11-15T12:00:00.123456Z");

    @TempDir private Path home;

    @Test
    void theQueueViewIsInQueueOrder() throws Exception {
        var priorities = List.of(Priority.values());
        var waiting = new ArrayList<Task>();
        var file = home.resolve("tasks.db");
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            for (int i = 1; i <= 200; i++) {
                // One microsecond apart: less than a score can distinguish.
                waiting.add(SampleTasks.task(i, priorities.get(i * 7 % 4), "true"));
            }
            SampleTasks.save(store, waiting.toArray(Task[]::new));
            var done = SampleTasks.task(201, Priority.CRITICAL, "true");
            store.commit(
                    List.of(new Change.TaskSaved(done.after(new TaskTransition.Cancel(NOON)))));
        }
        var line = WaitingTasks.none(new PriorityOrder(UserWeights.EQUAL));
        for (var task : waiting) {
            line = line.with(task);
        }
        var order = line.inOrder(_ -> 0).map(task -> task.id() + " " + score(task)).toList();

        assertThat(rows(file, "SELECT task_id, score FROM task_queue ORDER BY score LIMIT 10"))
                .isEqualTo(order.subList(0, 10));
        assertThat(rows(file, "SELECT task_id, score FROM task_queue ORDER BY score"))
                .isEqualTo(order);
    }

    private static double score(Task task) {
        int weight =
                switch (task.spec().options().priority()) {
                    case CRITICAL -> 0;
                    case HIGH -> 1;
                    case NORMAL -> 2;
                    case LOW -> 3;
                };
        return weight * 1e12 + Micros.of(task.createdAt()) / 1e6;
    }

    @Test
    void aTaskRowIsReadableInASqlShell() throws Exception {
        var file = home.resolve("tasks.db");
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            store.commit(everything());
        }

        assertThat(
                        rows(
                                file,
                                "SELECT id, name, status, priority, owner_name, source FROM tasks"
                                        + " ORDER BY id"))
                .containsExactly(
                        "1 train resnet failed HIGH alice api",
                        "2 wait queued NORMAL alice api",
                        "3 draft pending NORMAL alice api",
                        "4 lane queued NORMAL alice file");
        assertThat(
                        rows(
                                file,
                                "SELECT devices, gpu_type, gpu_count, gpu_most, memory_mib, share,"
                                        + " work_dir FROM tasks ORDER BY id"))
                .containsExactly(
                        "auto NVIDIA H200 2 2 20480 0 /home/alice",
                        "cpu null 0 0 null 0 /",
                        "0,1 null 2 2 4096 1 /home/alice",
                        "auto null 1 1 20480 0 /home/alice");
        assertThat(
                        rows(
                                file,
                                "SELECT model_name, task_type, structure_n_atoms, timeout_seconds,"
                                        + " queued_at FROM tasks ORDER BY id"))
                .containsExactly(
                        "null null null null 1763208000123456",
                        "null null null null 1763208000123457",
                        "mace stability 120 7200 null",
                        "null null null null 1763208120123456");
        assertThat(
                        rows(
                                file,
                                "SELECT lane, run, lane_index, lane_multi, max_retries, retries,"
                                        + " not_before FROM tasks WHERE id > 2 ORDER BY id"))
                .containsExactly("null null null 0 null 0 null", "6/2 6 3 1 5 1 1763208720123456");
        assertThat(rows(file, "SELECT id, mode, file, first_task, tasks, stage FROM run"))
                .containsExactly("6 multi command/command_gpus.txt 4 1 running");
        assertThat(
                        rows(
                                file,
                                "SELECT created_at, finished_at, error, attempts, retries FROM"
                                        + " tasks WHERE id = 1"))
                .containsExactly("1763208000123456 1763208060123456 exit code 3 2 1");
        assertThat(
                        rows(
                                file,
                                "SELECT json_extract(environment, '$.SEED') FROM script"
                                        + " WHERE task = 1"))
                .containsExactly("42 \"é\"\n");
        assertThat(rows(file, "SELECT task, number, phase, pid, ending, exit_code FROM attempt"))
                .containsExactly("1 1 ended null launch_failed null", "1 2 ended 4711 exited 3");
        assertThat(rows(file, "SELECT number, node, card_uuid, mib, exclusive, live FROM claim"))
                .containsExactly(
                        "1 gpu1 GPU-a 20480 1 0",
                        "2 gpu1 GPU-b 20480 1 0",
                        "2 gpu1 GPU-a 20480 1 0");
        assertThat(rows(file, "SELECT node, uuid, idx, name, total_mib FROM card"))
                .containsExactly("gpu1 GPU-a 0 NVIDIA H200 143771");
        assertThat(rows(file, "SELECT seq, actor_name, kind, task, attempt, data FROM event"))
                .containsExactly(
                        "1 alice task.submitted 1 null {}",
                        "2 berth attempt.ended 1 2 {\"code\":\"3\"}");
    }

    @Test
    void equalShellsAreStoredOnceAndGoWithTheirLastScript() throws Exception {
        var file = home.resolve("tasks.db");
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            for (int i = 1; i <= 1000; i++) {
                // Another value each time, as requests bring it.
                var environment = new TreeMap<>(Map.of("HOME", "/home/alice", "SEED", "7"));
                SampleTasks.save(store, inShell(i, environment));
            }
            SampleTasks.save(store, inShell(1001, new TreeMap<>(Map.of("SEED", "8"))));
            assertThat(rows(file, "SELECT count(*) FROM shell")).containsExactly("2");
            assertThat(rows(file, "SELECT count(*), count(DISTINCT shell) FROM script"))
                    .containsExactly("1001 2");

            store.commit(List.of(new Change.TaskRemoved(new TaskId(1001))));
            assertThat(rows(file, "SELECT umask, json_extract(environment, '$.SEED') FROM shell"))
                    .containsExactly("022 7");
            store.commit(
                    Stream.iterate(1L, id -> id <= 1000, id -> id + 1)
                            .<Change>map(id -> new Change.TaskRemoved(new TaskId(id)))
                            .toList());
            assertThat(rows(file, "SELECT count(*) FROM shell")).containsExactly("0");
        }
    }

    private static Task inShell(long id, TreeMap<String, String> environment) {
        var shell = new ShellContext(environment, "022", new TreeMap<>(Map.of("nofile", 1024L)));
        var task = SampleTasks.task(id);
        var script = task.spec().script().text();
        return task.with(
                task.spec().with(script.withRunAs(new RunAs("alice", 1001, Optional.of(shell)))));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void databasesOfAllVersionsAreMigrated(int version) throws Exception {
        var file = home.resolve("tasks.db");
        try (var old = SchemaTest.class.getResourceAsStream("version-" + version + ".db")) {
            Files.copy(old, file);
        }
        var database = Database.open(file);
        try (var store = new SqliteTaskStore(database);
                var queries = new SqliteTaskQueries(database)) {
            var loaded = store.open();

            assertThat(loaded.epoch()).isEqualTo(2);
            assertThat(loaded.tasks())
                    .isEqualTo(
                            Stream.of(waitingTask(), draftedTask(), laneTask())
                                    .limit(Math.max(1, version - 1))
                                    .map(SchemaTest::storedBeforePatterns)
                                    .toList());
            assertThat(store.script(waitingTask().id()))
                    .contains(waitingTask().spec().script().text());
            assertThat(loaded.fileRuns()).isEqualTo(version < 4 ? List.of() : List.of(laneRun()));
            assertThat(loaded.last().fileRun()).isEqualTo(version < 4 ? 0 : 6);
            assertThat(loaded.attempts()).isEmpty();
            assertThat(loaded.gpus()).containsExactly(card());
            assertThat(loaded.keys()).isEqualTo(Map.of(key(), keyUse()));
            assertThat(loaded.tokens()).isEqualTo(version < 2 ? List.of() : List.of(token()));
            assertThat(loaded.usage())
                    .isEqualTo(version < 3 ? Map.of() : Map.of("unix:alice", account()));
            assertThat(loaded.scheduler())
                    .isEqualTo(version < 3 ? SchedulerState.RUNNING : stopped());
            assertThat(loaded.last().task())
                    .contains(new TaskId(Math.min(4, Math.max(2, version))));
            assertThat(loaded.faults()).isEqualTo(version < 5 ? List.of() : List.of(fault()));
            assertThat(loaded.models().estimates())
                    .isEqualTo(version < 5 ? Map.of() : Map.of("mace", 4800L));
            assertThat(loaded.last().eventSeq()).isEqualTo(2);
            assertThat(queries.list(Filter.ALL, Page.WHOLE))
                    .endsWith(
                            new TaskRecord(storedBeforePatterns(waitingTask()), Optional.empty()),
                            new TaskRecord(
                                    storedBeforePatterns(failedTask()),
                                    Optional.of(secondAttempt(version))));
            assertThat(queries.attempts(new TaskId(1)))
                    .containsExactly(firstAttempt(), secondAttempt(version));
            assertThat(queries.eventsAfter(0, 10)).isEqualTo(events());
            store.commit(everything());
        }
    }

    // --- the content of the version-N.db resources, which makeDatabase wrote ---

    /** Writes the resource for the current schema version, before that version is published. */
    static void makeDatabase(Path file) throws Exception {
        try (var store = new SqliteTaskStore(Database.open(file))) {
            store.open();
            store.commit(everything());
        }
    }

    static List<Change> everything() {
        var changes =
                new ArrayList<Change>(
                        List.of(
                                new Change.TaskSaved(failedTask()),
                                new Change.TaskSaved(waitingTask()),
                                new Change.AttemptSaved(firstAttempt()),
                                new Change.AttemptSaved(secondAttempt(Migrations.CURRENT)),
                                new Change.GpuSaved(card()),
                                new Change.TaskSaved(draftedTask()),
                                new Change.TaskSaved(laneTask()),
                                new Change.FileRunSaved(laneRun()),
                                new Change.KeySaved(key(), keyUse()),
                                new Change.TokenSaved(token()),
                                new Change.UsageSaved("unix:alice", account()),
                                new Change.SchedulerSaved(stopped()),
                                new Change.FaultSaved(fault()),
                                new Change.EstimateSaved("mace", 4800)));
        events().forEach(event -> changes.add(new Change.EventAdded(event)));
        return changes;
    }

    /** The pattern of an older row is not known: the command stands for it. */
    private static Task storedBeforePatterns(Task task) {
        var script = task.spec().script();
        return task.with(
                task.spec()
                        .with(
                                new Script.Stored(
                                        script.workDir(),
                                        script.commandHash(),
                                        script.commandHash(),
                                        script.environmentHash())));
    }

    private static Task failedTask() {
        var spec =
                new TaskSpec(
                        "train resnet",
                        TaskSource.API,
                        new Script.Text(
                                "source ~/conda.sh\npython train.py\n",
                                "/home/alice",
                                new TreeMap<>(Map.of("SEED", "42 \"é\"\n", "EMPTY", ""))),
                        Requirements.of(
                                new Need.Gpus(
                                        Need.GpuCount.of(2),
                                        Optional.of("NVIDIA H200"),
                                        Need.GpuMemory.of(20_480))),
                        TaskOptions.of(Priority.HIGH));
        var failed = new TaskState.Failed(NOON.plusSeconds(60), "exit code 3");
        return new Task(
                new TaskId(1),
                Owner.unix("alice"),
                spec,
                NOON,
                Optional.of(NOON),
                failed,
                2,
                1,
                Optional.empty());
    }

    private static Task waitingTask() {
        var spec = TaskSpec.of("wait", "sleep 1", Need.CPU, "/");
        return Task.queued(new TaskId(2), Owner.unix("alice"), spec, NOON.plusNanos(1000));
    }

    private static Task draftedTask() {
        var devices =
                Need.Gpus.on(GpuIndices.of(0, 1), Optional.empty(), Need.GpuMemory.shared(4096));
        var spec =
                TaskSpec.of("draft", "python relax.py", devices, "/home/alice")
                        .with(new ModelWork(Optional.of("mace"), Optional.of("stability"), 120))
                        .with(Duration.ofHours(2));
        return Task.draft(new TaskId(3), Owner.unix("alice"), spec, NOON.plusNanos(2000));
    }

    private static Task laneTask() {
        var need = new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), Need.GpuMemory.of(20_480));
        var spec =
                TaskSpec.of("lane", "python a.py", need, "/home/alice")
                        .with(TaskSource.FILE)
                        .with(new Lane.OfFileRun(6, 2, 3, true), OptionalInt.of(5));
        var retry =
                new TaskTransition.Retry(NOON.plusSeconds(120), Optional.of(NOON.plusSeconds(720)));
        return Task.queued(new TaskId(4), Owner.unix("alice"), spec, NOON.plusNanos(3000))
                .after(new TaskTransition.Start(1))
                .after(retry);
    }

    private static FileRun laneRun() {
        return new FileRun(
                6,
                FileMode.MULTI,
                OptionalInt.of(0),
                "command/command_gpus.txt",
                FileRun.Origin.CONSOLE,
                Owner.unix("alice"),
                NOON,
                new TaskId(4),
                1,
                List.of(),
                new FileRun.Stage.Running());
    }

    private static GpuUsage.Account account() {
        return new GpuUsage.Account(7180.25, NOON.plusSeconds(60));
    }

    private static SchedulerState stopped() {
        return new SchedulerState(
                false,
                Optional.of(
                        new SchedulerState.LastSwitch(Owner.unix("alice"), NOON.plusSeconds(90))));
    }

    private static Attempt firstAttempt() {
        return attempt(
                1,
                List.of(claim("GPU-a")),
                new Phase.Ended(
                        Optional.empty(),
                        new Ending.LaunchFailed("no such directory"),
                        NOON.plusSeconds(2)));
    }

    private static GpuFault fault() {
        return new GpuFault(
                card().id(), GpuFault.Kind.XID, "Xid 79", NOON.plusSeconds(61), GpuFault.Stage.OUT);
    }

    private static Attempt secondAttempt(int version) {
        var diagnosis =
                new Diagnosis(
                        Cause.OOM,
                        "torch.OutOfMemoryError: CUDA out of memory.",
                        new TreeMap<>(Map.of("tried_mib", "2048")));
        var used =
                new GpuConsumption(
                        19_800,
                        17_000,
                        OptionalInt.of(99),
                        OptionalInt.of(71),
                        Duration.ofSeconds(57));
        return version < 5
                ? secondAttempt()
                : secondAttempt()
                        .with(new AttemptFindings(Optional.of(diagnosis), Optional.of(used)));
    }

    private static Attempt secondAttempt() {
        var run = new ShimProcess(new ProcessKey("boot-1", 4711, 1_234_567), NOON.plusSeconds(3));
        return attempt(
                2,
                List.of(claim("GPU-b"), claim("GPU-a")),
                new Phase.Ended(Optional.of(run), new Ending.Exited(3), NOON.plusSeconds(60)));
    }

    private static Attempt attempt(int number, List<Claim> claims, Phase phase) {
        var id = new AttemptId(new TaskId(1), number);
        return new Attempt(id, "gpu1", 1, "boot-1", claims, NOON.plusSeconds(1), phase);
    }

    private static Claim claim(String uuid) {
        return new Claim(new GpuId("gpu1", uuid), 20_480, true);
    }

    private static Gpu card() {
        return new Gpu(new GpuId("gpu1", "GPU-a"), 0, "NVIDIA H200", 143_771);
    }

    private static SubmitKey key() {
        return new SubmitKey("unix:alice", "5f0c");
    }

    private static Token token() {
        return new Token(
                new TokenId(1),
                new Token.Credential(
                        Token.Kind.TOKEN, "notebook", "00ff", Optional.of(NOON.plusSeconds(9))),
                Owner.unix("alice"),
                NOON,
                Optional.empty());
    }

    private static SubmitKeyUse keyUse() {
        return new SubmitKeyUse(new TaskId(1), "sha256:00ff", NOON);
    }

    private static List<Event> events() {
        var task = Optional.of(new TaskId(1));
        return List.of(
                new Event(
                        1,
                        NOON,
                        Owner.unix("alice"),
                        task,
                        Optional.empty(),
                        new UnknownPayload("task.submitted", new TreeMap<>())),
                new Event(
                        2,
                        NOON.plusSeconds(60),
                        Owner.BERTH,
                        task,
                        Optional.of(secondAttempt().id()),
                        new UnknownPayload("attempt.ended", new TreeMap<>(Map.of("code", "3")))));
    }

    private static List<String> rows(Path file, String query) throws Exception {
        var rows = new ArrayList<String>();
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var result = connection.createStatement().executeQuery(query)) {
            while (result.next()) {
                var row = new ArrayList<String>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    row.add(String.valueOf(result.getObject(i)));
                }
                rows.add(String.join(" ", row));
            }
        }
        return rows;
    }
}
