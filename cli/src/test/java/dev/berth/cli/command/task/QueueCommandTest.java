package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class QueueCommandTest {

    private static final String QUEUE = "GET /api/queue?limit=100";

    @TempDir private Path root;
    private CliFixture fixture;
    private StubServer server;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        server = fixture.server();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static String queue(String counts, String... lines) {
        return "{"
                + counts
                + ",\"priority_algorithm\":\"priority\",\"gpu_selector\":\"best_score\","
                + "\"wait_warn_seconds\":86400,\"lines\":["
                + String.join(",", lines)
                + "]}";
    }

    private static String line(String device, int count, String priorities, String... tasks) {
        return line(device, "devices", count, priorities, tasks);
    }

    private static String line(
            String device, String kind, int count, String priorities, String... tasks) {
        return "{\"device\":\"%s\",\"kind\":\"%s\",\"count\":%d,\"priorities\":{%s},\"tasks\":[%s]}"
                .formatted(device, kind, count, priorities, String.join(",", tasks));
    }

    private static String task(long id, String name, String more) {
        return "{\"id\":%d,\"name\":\"%s\",\"owner\":\"ada\",\"gpu_count\":1,\"max_gpu\":1,%s}"
                .formatted(id, name, more);
    }

    @Test
    void tasksThatWaitInAClusterAreALine() {
        String counts =
                "\"queued\":1,\"running\":0,\"pending\":0,\"scheduler_running\":true,"
                        + "\"paused\":null,\"waiting_too_long\":0,\"priorities\":{\"NORMAL\":1}";
        String waiting = task(7, "train", "\"priority\":\"NORMAL\",\"devices\":\"auto\"");
        server.on(QUEUE, queue(counts, line("slurm", "cluster", 1, "\"NORMAL\":1", waiting)));
        assertThat(fixture.run("queue").out())
                .startsWith("1 queued (1 NORMAL), 0 running\n")
                .contains("\nin Slurm: 1 queued (1 NORMAL)\n");
    }

    private void twoLines() {
        server.on(
                QUEUE,
                queue(
                        """
                        "queued":4,"running":1,"pending":2,"scheduler_running":true,"paused":null,
                        "longest_wait_seconds":754.3,"longest_wait_task_id":5,"waiting_too_long":0,
                        "priorities":{"CRITICAL":0,"HIGH":1,"NORMAL":3,"LOW":0}\
                        """,
                        line(
                                "auto",
                                3,
                                "\"HIGH\":1,\"NORMAL\":2",
                                task(
                                        7,
                                        "train",
                                        """
                                        "priority":"HIGH","devices":"auto","gpu_type":"A100",
                                        "max_gpu":4,"memory_gb":20.0,"wait_seconds":12.9,"position":0
                                        """),
                                task(
                                        5,
                                        "eval",
                                        """
                                        "priority":"NORMAL","devices":"auto","wait_seconds":754.3,
                                        "position":1,"eta":"2025-11-15T06:12:00.5Z",
                                        "eta_latest":"2025-11-15T08:00:01Z"
                                        """)),
                        line(
                                "0,1",
                                1,
                                "\"NORMAL\":1",
                                task(
                                        6,
                                        "pinned",
                                        """
                                        "priority":"NORMAL","devices":"0,1","gpu_count":2,"wait_seconds":3.0,
                                        "position":0,"eta_reason":{"detail":"Task 1, which is running.",
                                        "code":"eta.running_task","params":{"task":"1"},"parts":[]}
                                        """))));
    }

    @Test
    void everyQueueIsShownWithItsTasksInOrder() {
        twoLines();
        assertThat(fixture.run("queue"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                4 queued (1 HIGH, 3 NORMAL), 1 running, 2 pending
                                longest wait 12m (task 5)
                                scheduler running, order priority, GPUs by best_score

                                auto: 3 queued (1 HIGH, 2 NORMAL)
                                AHEAD  ID  NAME   OWNER  PRIORITY  GPUS  TYPE  MEMORY  WAITS  STARTS IN
                                    0   7  train  ada    HIGH       1-4  A100     20G    12s          ?
                                    1   5  eval   ada    NORMAL       1                  12m     12m-2h
                                … and 1 more

                                GPU 0,1: 1 queued (1 NORMAL)
                                AHEAD  ID  NAME    OWNER  PRIORITY  GPUS  WAITS  STARTS IN
                                    0   6  pinned  ada    NORMAL       2     3s          ?
                                the start of task 6 is not known: Task 1, which is running.
                                """,
                                ""));
    }

    @Test
    void aLaneIsNotTakenForGpus() {
        var task =
                task(6, "x", "\"priority\":\"NORMAL\",\"devices\":\"auto\",\"wait_seconds\":3.0");
        server.on(
                QUEUE,
                queue(
                        "\"queued\":1,\"running\":0,\"pending\":0,\"scheduler_running\":true,"
                                + "\"paused\":null,\"longest_wait_seconds\":null",
                        line("0", "lane", 1, "\"NORMAL\":1", task)));
        assertThat(fixture.run("queue").out())
                .contains("\nlane 0: 1 queued (1 NORMAL)\n")
                .doesNotContain("GPU 0");
    }

    @Test
    void anEmptyQueueReportsIt() {
        server.on(
                QUEUE,
                queue(
                        "\"queued\":0,\"running\":0,\"pending\":0,\"scheduler_running\":true,"
                                + "\"paused\":null,\"longest_wait_seconds\":null",
                        line("auto", 0, "")));
        assertThat(fixture.run("queue"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                nothing waits, 0 running
                                scheduler running, order priority, GPUs by best_score
                                """,
                                ""));
    }

    @Test
    void aSchedulerThatStartsNothingShowsWhy() {
        String paused = "\"paused\":{\"detail\":\"%s\",\"code\":\"x\",\"params\":{},\"parts\":[]}";
        server.on(
                QUEUE,
                server.json(
                        200,
                        queue(
                                "\"scheduler_running\":false,"
                                        + paused.formatted("ada stopped it.\\u001b[2J"))),
                server.json(
                        200,
                        queue(
                                "\"scheduler_running\":true,"
                                        + paused.formatted("Disk space is low."))));
        assertThat(fixture.run("queue").out())
                .endsWith("scheduler stopped: ada stopped it.\\e[2J\n");
        assertThat(fixture.run("queue").out()).endsWith("scheduler paused: Disk space is low.\n");
    }

    @Test
    void aWaitThatIsTooLongIsPointedOut() {
        server.on(
                QUEUE,
                queue(
                        "\"queued\":1,\"scheduler_running\":true,\"longest_wait_seconds\":90000.0,"
                                + "\"longest_wait_task_id\":5,\"waiting_too_long\":1"));
        assertThat(fixture.run("queue").out())
                .contains("longest wait 25h (task 5), 1 longer than 1d\n");
    }

    @Test
    void theNumberOfTasksMayBeSaid() {
        server.on("GET /api/queue?limit=5", queue("\"queued\":0,\"scheduler_running\":true"));
        assertThat(fixture.run("queue", "-n", "5").status()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-n 0", "-n 1001", "-n x", "x", "0", "7 x", "-n 5 7", "7.5"})
    void whatCannotBeReadIsNotUnderstood(String words) {
        Result result = fixture.run(("queue " + words).split(" "));
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("\nUsage: berth queue [OPTIONS] [ID…]\n");
        assertThat(server.received()).isEmpty();
    }

    @Test
    void jsonIsTheUnchangedReply() {
        twoLines();
        assertThat(fixture.run("queue", "--json").out()).startsWith("{\"queued\":4,");
    }

    @Test
    void aDraftIsQueuedAndItsPositionIsShown() {
        server.on("POST /experiments/7/queue/", done(7));
        server.on(
                "GET /api/queue/position/7",
                server.json(200, "{\"task_id\":7,\"line\":\"auto\",\"position\":2}"),
                server.json(200, "{\"task_id\":7,\"line\":\"auto\",\"position\":0}"),
                server.json(200, "{\"task_id\":7,\"line\":null,\"position\":null}"),
                server.closeWithoutReply());
        assertThat(fixture.run("queue", "7"))
                .isEqualTo(new Result(0, "7 queued, 2 ahead of it\n", ""));
        assertThat(fixture.run("queue", "7").out()).isEqualTo("7 queued, next in the queue\n");
        assertThat(fixture.run("queue", "7").out()).as("it has started").isEqualTo("7 queued\n");
        assertThat(fixture.run("queue", "7"))
                .as("it has joined even if its place is not known")
                .isEqualTo(new Result(0, "7 queued\n", ""));
    }

    @Test
    void oneThatIsNoDraftDoesNotStopTheOthers() {
        server.on(
                "POST /experiments/6/queue/",
                server.json(409, refused("Task 6 is running, not pending.")));
        server.on("POST /experiments/7/queue/", done(7));
        assertThat(fixture.run("queue", "6", "7"))
                .isEqualTo(new Result(1, "7 queued\n", "berth: Task 6 is running, not pending.\n"));
        server.on("POST /experiments/8/queue/", server.json(404, refused("No such task.")));
        assertThat(fixture.run("queue", "8"))
                .isEqualTo(new Result(1, "", "berth: task 8: No such task.\n"));
    }

    @Test
    void aJoinAsJsonIsTheUnchangedReply() {
        server.on("POST /experiments/7/queue/", done(7));
        assertThat(fixture.run("queue", "7", "--json").out()).isEqualTo(done(7) + "\n");
    }

    private static String done(long id) {
        return "{\"success\":true,\"message\":\"实验已加入队列\",\"experiment\":{\"id\":"
                + id
                + ",\"status\":\"queued\"}}";
    }

    private static String refused(String detail) {
        return "{\"success\":false,\"message\":\"%s\",\"detail\":\"%s\",\"reasons\":[]}"
                .formatted(detail, detail);
    }

    private static final String TIMELINE =
            """
            {"from":"2025-11-14T06:00:00Z","to":"2025-11-16T06:00:00Z","now":"2025-11-15T06:00:00Z",
            "gpus":[{"index":0,"uuid":"a","name":"A"},{"index":1,"uuid":"b","name":"A"},
            {"index":12,"uuid":"c","name":"A"}],"truncated":%s,"reservation":null,"runs":[
            {"task_id":3,"name":"x","owner":"ada","status":"completed","gpus":[0],
            "start":"2025-11-15T05:40:00Z","end":"2025-11-15T05:50:00Z","is_predicted":false},
            {"task_id":7,"name":"x","owner":"ada","status":"running","gpus":[0,1],
            "start":"2025-11-15T05:50:00Z","end":"2025-11-15T06:30:00Z","is_predicted":false},
            {"task_id":8,"name":"x","owner":"ada","status":"running","gpus":[1],
            "start":"2025-11-15T05:55:00Z","end":null,"is_predicted":false},
            {"task_id":9,"name":"x","owner":"ada","status":"queued","gpus":[0],
            "start":"2025-11-15T06:30:00Z","end":"2025-11-15T07:00:00Z","is_predicted":true}]}
            """;

    @Test
    void theTimelineShowsEachGpuOverTimeAndSharedOnesInSeveralRows() {
        server.on("GET /api/timeline", TIMELINE.formatted("false"));
        assertThat(fixture.run("queue", "--timeline"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                       05:40       05:53       06:06       06:19       06:32       06:45
                                                         | now
                                GPU 0  3--------7###################################9...........................
                                GPU 1           7###################################
                                                    8##########################################################>
                                GPU 12

                                -- ended   ## runs   .. expected   > its end is not known
                                """,
                                ""));
    }

    @Test
    void theTimelineFitsTheTerminalAndIsColouredThere() {
        server.on("GET /api/timeline", TIMELINE.formatted("true"));
        fixture.setTerminal(60);
        var out = fixture.run("queue", "--timeline").out();
        assertThat(out).contains("\u001b[36m7##").contains("not all runs are shown");
        assertThat(out.replaceAll("\u001b\\[[0-9]*m", "").lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(60));
    }

    @Test
    void theTimelineAsJsonIsTheReply() {
        server.on("GET /api/timeline", TIMELINE.formatted("false"));
        assertThat(fixture.run("queue", "--timeline", "--json").out())
                .isEqualTo(TIMELINE.formatted("false").strip() + "\n");
    }

    @Test
    void aTimelineOfIdsDoesNotExist() {
        assertThat(fixture.run("queue", "--timeline", "7").status()).isEqualTo(2);
    }
}
