package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Cli;
import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleTaskJson;
import dev.berth.cli.fixture.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

class LsCommandTest {

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        // More tasks than one page holds, unless a test says otherwise.
        fixture.server().on("GET /api/tasks?limit=200", "[]");
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void newest(int limit, SampleTaskJson... tasks) {
        fixture.server().on("GET /api/tasks?limit=" + limit, SampleTaskJson.list(tasks));
    }

    private void of(String status, SampleTaskJson... tasks) {
        boolean ended = !List.of("running", "queued", "pending").contains(status);
        String query = ended ? "limit=10&status=" + status : "status=" + status + "&limit=200";
        fixture.server().on("GET /api/tasks?" + query, SampleTaskJson.list(tasks));
    }

    private void nothingElse() {
        for (String status :
                List.of("running", "queued", "pending", "completed", "failed", "cancelled")) {
            of(status);
        }
    }

    @Test
    void showsWhatRunsAndWaitsAndTheLastThatEnded() {
        of("running", SampleTaskJson.summary(12).running(0, 1).with("gpu_count", 2));
        of("queued", SampleTaskJson.summary(14), SampleTaskJson.summary(13));
        of(
                "pending",
                SampleTaskJson.summary(15).with("status", "pending").with("phase", "pending"));
        of("completed", SampleTaskJson.summary(11).ended("completed", 0));
        of("failed", SampleTaskJson.summary(9).failed(3));
        of("cancelled", SampleTaskJson.summary(10).ended("cancelled", null));
        assertThat(fixture.run("ls"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                ID  NAME     STATUS     GPUS  ON   AGE  RAN  EXIT
                                 9  task-9   failed        1        1m  20s     3
                                10  task-10  cancelled     1        1m  20s
                                11  task-11  completed     1        1m  20s
                                12  task-12  running       2  0,1   1m  30s
                                13  task-13  queued        1        1m
                                14  task-14  queued        1        1m
                                15  task-15  pending       1        1m
                                """,
                                ""));
    }

    @Test
    void allTasksOfASmallHomeAreReadAtOnce() {
        SampleTaskJson[] tasks =
                IntStream.range(0, 14)
                        .mapToObj(at -> SampleTaskJson.summary(20 - at))
                        .map(task -> task.ended("completed", 0))
                        .toArray(SampleTaskJson[]::new);
        tasks[0] = SampleTaskJson.summary(20);
        tasks[13] = SampleTaskJson.summary(7).running(0);
        String body = SampleTaskJson.list(tasks);
        String head = "HTTP/1.1 200 OK\r\nX-Total-Count: 14\r\nContent-Length: ";
        fixture.server().reset("GET /api/tasks?limit=200");
        fixture.server()
                .on(
                        "GET /api/tasks?limit=200",
                        fixture.server().raw(head + body.length() + "\r\n\r\n" + body));
        assertThat(fixture.run("ls", "--json").out())
                .contains("{\"id\":20,", "{\"id\":10,", "{\"id\":7,")
                .doesNotContain("{\"id\":9,", "{\"id\":8,");
        assertThat(fixture.server().requestLines()).hasSize(1);
    }

    @Test
    void onlyTheLastTenThatEndedAreShown() {
        SampleTaskJson[] completed =
                IntStream.range(0, 10)
                        .mapToObj(at -> SampleTaskJson.summary(40 - 2 * at).ended("completed", 0))
                        .toArray(SampleTaskJson[]::new);
        of("completed", completed);
        of("failed", SampleTaskJson.summary(41).failed(1), SampleTaskJson.summary(5).failed(1));
        nothingElse();
        Result result = fixture.run("ls", "--json");
        assertThat(result.out())
                .startsWith("[{\"id\":41,")
                .contains("{\"id\":24,")
                .doesNotContain("{\"id\":22,", "{\"id\":5,");
    }

    @Test
    void aTaskOfALaneShowsWhichAndHowLongItsBackoffIs() {
        newest(
                2,
                SampleTaskJson.summary(17)
                        .with("lane", "3/1")
                        .with("retry_count", 3)
                        .with("backoff_until", "2025-11-15T06:09:30Z"),
                SampleTaskJson.summary(16)
                        .with("lane", "nightly")
                        .with("retry_count", 3)
                        .with("backoff_until", "2025-11-15T05:59:59Z"));
        assertThat(fixture.run("ls", "-n2").out())
                .isEqualTo(
                        """
                        ID  NAME     STATUS  GPUS  LANE     AGE  TRIES  RETRY
                        16  task-16  queued     1  nightly   1m      4
                        17  task-17  queued     1  3/1       1m      4     9m
                        """);
    }

    @Test
    void columnsComeWithTheTasksThatUseThem() {
        newest(
                3,
                SampleTaskJson.summary(103)
                        .with("priority", "HIGH")
                        .with("gpu_type", "NVIDIA A100")
                        .with("memory_gb", 20.0)
                        .with("retry_count", 2)
                        .with("owner", "bob"),
                SampleTaskJson.summary(102)
                        .ended("failed", null)
                        .with("error", "machine restarted")
                        .with("memory_gb", 1.5),
                SampleTaskJson.summary(9)
                        .running()
                        .with("phase", "stopping")
                        .with("devices", "cpu")
                        .with("gpu_count", 0));
        assertThat(fixture.run("ls", "-n3").out())
                .isEqualTo(
                        """
                         ID  NAME      STATUS              PRIORITY  OWNER  GPUS  TYPE         MEMORY  AGE  RAN  TRIES  ERROR
                          9  task-9    running (stopping)            ada     cpu                        1m  30s
                        102  task-102  failed                        ada       1                 1.5G   1m  20s         machine restarted
                        103  task-103  queued              HIGH      bob       1  NVIDIA A100     20G   1m           3
                        """);
    }

    @Test
    void whatIsAskedForBeyondGpusHasColumnsToo() {
        newest(
                3,
                SampleTaskJson.summary(3).with("max_gpu", 4).with("timeout_seconds", 5400),
                SampleTaskJson.summary(2)
                        .with("devices", "0,1")
                        .with("gpu_count", 2)
                        .with("max_gpu", 2)
                        .with("memory_gb", 8)
                        .with("share", true),
                SampleTaskJson.summary(1)
                        .with("created_at", "2025-11-15T04:00:00Z")
                        .with("queued_at", "2025-11-15T05:30:00Z"));
        assertThat(fixture.run("ls", "-n3").out())
                .isEqualTo(
                        """
                        ID  NAME    STATUS  GPUS  DEVICE  MEMORY  SHARE  LIMIT  AGE  QUEUED
                         1  task-1  queued     1                                 2h     30m
                         2  task-2  queued     2  0,1         8G  yes            1m
                         3  task-3  queued   1-4                         1h30m   1m
                        """);
    }

    @Test
    void howLongADraftWasQueuedIsNoNewsOnceItRuns() {
        newest(1, SampleTaskJson.summary(1).running(0).with("queued_at", "2025-11-15T05:59:20Z"));
        assertThat(fixture.run("ls", "-n1").out()).doesNotContain("QUEUED");
    }

    @Test
    void namesGiveWayOnANarrowTerminal() {
        fixture.env().put("COLUMNS", "44");
        newest(
                2,
                SampleTaskJson.summary(2).with("name", "训练一个非常大的语言模型 on eight cards"),
                SampleTaskJson.summary(1).with("name", "x".repeat(100)));
        assertThat(fixture.run("ls", "-n2").out())
                .isEqualTo(
                        """
                        ID  NAME                   STATUS  GPUS  AGE
                         1  xxxxxxxxxx…xxxxxxxxxx  queued     1   1m
                         2  训练一个非…ight cards  queued     1   1m
                        """);
    }

    @Test
    void aPipeGetsNamesWhole() {
        newest(1, SampleTaskJson.summary(1).with("name", "x".repeat(300)));
        assertThat(fixture.run("ls", "-n1").out()).contains("x".repeat(300));
    }

    @Test
    void aHostileNameIsShownSafely() {
        newest(1, SampleTaskJson.summary(1).with("name", "a\u001b[2J\nb\u202ec\u009b"));
        assertThat(fixture.run("ls", "-n1").out())
                .isEqualTo(
                        """
                        ID  NAME                    STATUS  GPUS  AGE
                         1  a\\e[2J\\nb\\u202ec\\u009b  queued     1   1m
                        """);
    }

    @Test
    void aTerminalGetsColours() {
        fixture.setTerminal(true);
        newest(2, SampleTaskJson.summary(2).failed(1), SampleTaskJson.summary(1).running(0));
        assertThat(fixture.run("ls", "-n2").out())
                .contains(
                        "\u001b[1mID\u001b[0m",
                        "\u001b[36mrunning\u001b[0m",
                        "\u001b[31mfailed\u001b[0m");
        fixture.env().put("NO_COLOR", "1");
        assertThat(fixture.run("ls", "-n2").out()).doesNotContain("\u001b");
    }

    @Test
    void anEmptyListShowsWhatToDo() {
        nothingElse();
        assertThat(fixture.run("ls"))
                .isEqualTo(
                        new Result(
                                0,
                                "No tasks yet. Submit one: berth submit --gpus 1 -- python"
                                        + " train.py\n",
                                ""));
        fixture.server().on("GET /api/tasks?limit=1000&after=0&status=failed", "[]");
        assertThat(fixture.run("ls", "--status", "failed").out())
                .isEqualTo("No failed tasks. All there are: berth ls --all\n");
        assertThat(fixture.run("ls", "--json").out()).isEqualTo("[]\n");
    }

    @Test
    void aLongQueueIsCutAndSaidToBe() {
        String body = SampleTaskJson.list(SampleTaskJson.summary(7));
        String head = "HTTP/1.1 200 OK\r\nX-Total-Count: 50000\r\nContent-Length: ";
        fixture.server()
                .on(
                        "GET /api/tasks?status=queued&limit=200",
                        fixture.server().raw(head + body.length() + "\r\n\r\n" + body));
        nothingElse();
        assertThat(fixture.run("ls").err())
                .isEqualTo("berth: 49999 more queued: `berth ls --status queued` shows all\n");
    }

    @Test
    void damagedTasksThatTheServerLeftOutAreNamed() {
        String body = SampleTaskJson.list(SampleTaskJson.summary(7));
        String head = "HTTP/1.1 200 OK\r\nX-Damaged-Tasks: 9,8\r\nContent-Length: ";
        fixture.server()
                .on(
                        "GET /api/tasks?limit=3",
                        fixture.server().raw(head + body.length() + "\r\n\r\n" + body));
        assertThat(fixture.run("ls", "-n3").err())
                .isEqualTo(
                        "berth: not listed, because damaged on the disk: task 8, 9 (`berth doctor"
                                + " --deep` shows all damage)\n");
    }

    @Test
    void aListOfAnotherUsersTasksNamesThatUser() {
        fixture.server()
                .on("GET /api/tasks?limit=3", SampleTaskJson.list(SampleTaskJson.summary(7)));
        assertThat(fixture.run("ls", "-n", "3").out()).doesNotContain("OWNER");
        fixture.env().put("USER", "ada");
        assertThat(fixture.run("ls", "-n", "3").out()).doesNotContain("OWNER");
        fixture.env().put("USER", "bob");
        assertThat(fixture.run("ls", "-n", "3").out()).contains("OWNER", "ada");
    }

    @Test
    void everythingIsPrintedPageByPage() {
        SampleTaskJson[] first =
                IntStream.rangeClosed(1, 1000)
                        .mapToObj(SampleTaskJson::summary)
                        .toArray(SampleTaskJson[]::new);
        fixture.server()
                .on(
                        "GET /api/tasks?limit=1000&after=0",
                        withNext("limit=1000&after=1000", SampleTaskJson.list(first)));
        SampleTaskJson last = SampleTaskJson.summary(1003).with("owner", "bob");
        fixture.server().on("GET /api/tasks?limit=1000&after=1000", SampleTaskJson.list(last));
        fixture.server().on("GET /api/tasks?limit=1000", SampleTaskJson.list(last));
        List<String> lines = fixture.run("ls", "--all").out().lines().toList();
        assertThat(lines).hasSize(1002);
        assertThat(lines)
                .filteredOn(line -> line.contains("NAME"))
                .containsExactly("  ID  NAME       STATUS  OWNER  GPUS  AGE");
        assertThat(lines.get(1)).isEqualTo("   1  task-1     queued  ada       1   1m");
        assertThat(lines.getLast()).isEqualTo("1003  task-1003  queued  bob       1   1m");
        assertThat(fixture.server().requestLines())
                .containsExactly(
                        "GET /api/tasks?limit=1000&after=0",
                        "GET /api/tasks?limit=1000",
                        "GET /api/tasks?limit=1000&after=1000");
    }

    /** Tasks that leave the filter while the server reads a page are left out of it. */
    @Test
    void aShortPageIsNotTheLastOne() {
        String failed = "&status=failed";
        fixture.server()
                .on(
                        "GET /api/tasks?limit=1000&after=0" + failed,
                        withNext(
                                "limit=1000&after=1500" + failed,
                                SampleTaskJson.list(SampleTaskJson.summary(1).failed(1))))
                .on(
                        "GET /api/tasks?limit=1000&after=1500" + failed,
                        withNext("limit=1000&after=2500" + failed, "[]"))
                .on(
                        "GET /api/tasks?limit=1000&after=2500" + failed,
                        SampleTaskJson.list(SampleTaskJson.summary(3000).failed(1)))
                .on("GET /api/tasks?limit=1000" + failed, "[]");
        assertThat(fixture.run("ls", "--status", "failed").out()).contains("task-1 ", "task-3000 ");
    }

    @Test
    void aShortPageOfTheNewestIsFilledFromTheNextOne() {
        fixture.server()
                .on(
                        "GET /api/tasks?limit=2",
                        withNext(
                                "limit=2&before=8", SampleTaskJson.list(SampleTaskJson.summary(9))))
                .on(
                        "GET /api/tasks?limit=2&before=8",
                        SampleTaskJson.list(SampleTaskJson.summary(7), SampleTaskJson.summary(6)));
        assertThat(fixture.run("ls", "-n2").out())
                .contains("task-9 ", "task-7 ")
                .doesNotContain("task-6 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--all", "--json"})
    void noFurtherPageIsReadAfterTheReaderOfThePipeHasEnded(String option) {
        SampleTaskJson one = SampleTaskJson.summary(1);
        String before = "limit=1000&before=" + Long.MAX_VALUE;
        fixture.server().on("GET /api/tasks?limit=1000", SampleTaskJson.list(one));
        for (String query : List.of("limit=1000&after=0", before)) {
            fixture.server()
                    .on(
                            "GET /api/tasks?" + query,
                            withNext("limit=1000&after=1", SampleTaskJson.list(one)));
        }
        OutputStream broken =
                new OutputStream() {
                    @Override
                    public void write(int value) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                };
        PrintStream out = new PrintStream(broken, false, StandardCharsets.UTF_8);
        new Cli(List.of())
                .run(new String[] {"ls", "--all", option}, fixture.context(out, System.err));
        assertThat(fixture.server().requestLines())
                .isNotEmpty()
                .doesNotContain("GET /api/tasks?limit=1000&after=1");
    }

    private StubServer.StubReply withNext(String query, String body) {
        return fixture.server()
                .raw(
                        "HTTP/1.1 200 OK\r\nLink: </api/tasks?"
                                + query
                                + ">; rel=\"next\"\r\nContent-Length: "
                                + body.getBytes(StandardCharsets.UTF_8).length
                                + "\r\n\r\n"
                                + body);
    }

    @Test
    void statusAndNumberNarrowWhatIsAsked() {
        fixture.server()
                .on(
                        "GET /api/tasks?limit=2&status=failed",
                        SampleTaskJson.list(
                                SampleTaskJson.summary(8).failed(1),
                                SampleTaskJson.summary(7).failed(2)));
        assertThat(fixture.run("ls", "--status", "failed", "-n", "2").out().lines()).hasSize(3);
        fixture.run("ls", "--status", "a b&c");
        assertThat(fixture.server().requestLines().getLast())
                .isEqualTo("GET /api/tasks?limit=1000&after=0&status=a+b%26c");
    }

    @Test
    void jsonIsTheUnchangedReply() {
        String tasks = "[{\"id\":1,\"memory_gb\":1.50,\"new\":{\"x\":[null,true]}}]";
        fixture.server().on("GET /api/tasks?limit=1", tasks);
        assertThat(fixture.run("ls", "-n1", "--json")).isEqualTo(new Result(0, tasks + "\n", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", ""})
    void aNumberThatIsNoneIsNotUnderstood(String number) {
        Result result = fixture.run("ls", "-n", number);
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("berth: -n needs a number, 1 or more\nUsage: berth ls");
    }

    @Test
    void wordsThatAreNoOptionsAreUsageErrors() {
        assertThat(fixture.run("ls", "7").err()).startsWith("berth: unexpected '7'\n");
    }

    @Test
    void somethingElseThanAListIsReported() {
        fixture.server().on("GET /api/tasks?limit=1", "{}");
        assertThat(fixture.run("ls", "-n1"))
                .isEqualTo(new Result(1, "", "berth: the server sent no list of tasks\n"));
    }

    @Test
    void aStaleConnectionIsReplaced() {
        of("completed");
        fixture.server()
                .on(
                        "GET /api/tasks?limit=10&status=failed",
                        fixture.server().closeWithoutReply(),
                        fixture.server().json(200, "[]"));
        nothingElse();
        assertThat(fixture.run("ls").status()).isZero();
    }
}
