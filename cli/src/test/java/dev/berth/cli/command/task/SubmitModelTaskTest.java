package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleTaskJson;
import dev.berth.cli.fixture.StubServer;
import dev.berth.jsontext.JsonParser;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

class SubmitModelTaskTest {

    private static final String POST = "POST /api/tasks";
    private static final String WAIT = "GET /api/tasks/7/wait?seconds=30";

    @TempDir private Path root;
    private CliFixture fixture;
    private StubServer server;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        server = fixture.server();
        server.on(POST, server.json(201, modelTask().toString()));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static SampleTaskJson modelTask() {
        return SampleTaskJson.detail(7)
                .with("command", "")
                .with("model_name", "mace")
                .with("params", Map.of());
    }

    /** The body that this call sends. */
    private Map<?, ?> sent(String... words) throws Exception {
        assertThat(fixture.run(words)).isEqualTo(new Result(0, "7\n", ""));
        return (Map<?, ?>) JsonParser.parse(server.received().getLast().body());
    }

    private static JsonParser.JsonNumber number(String text) {
        return new JsonParser.JsonNumber(text);
    }

    @Test
    void withoutACommandAWorkerOfTheModelRunsIt() throws Exception {
        assertThat(sent("submit", "--model", "mace", "--task-type", "relax", "--param", "n=500"))
                .isEqualTo(
                        Map.of(
                                "name",
                                "mace relax",
                                "model_name",
                                "mace",
                                "task_type",
                                "relax",
                                "params",
                                Map.of("n", number("500"))));
        assertThat(sent("submit", "--model=mace"))
                .isEqualTo(Map.of("name", "mace", "model_name", "mace"));
    }

    @Test
    void theOtherOptionsHoldForItToo() throws Exception {
        Map<?, ?> body =
                sent(
                        "submit",
                        "--model",
                        "mace",
                        "--name",
                        "x",
                        "--retries",
                        "2",
                        "--time",
                        "1h",
                        "--device",
                        "1",
                        "--priority",
                        "low",
                        "--lane",
                        "a",
                        "--draft");
        assertThat(body)
                .isEqualTo(
                        Map.of(
                                "name",
                                "x",
                                "model_name",
                                "mace",
                                "max_retries",
                                number("2"),
                                "timeout_seconds",
                                number("3600"),
                                "devices",
                                "1",
                                "priority",
                                "LOW",
                                "lane",
                                "a",
                                "draft",
                                true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "500 | 500",
                "-1.5e3 | -1.5e3",
                "true | true",
                "null | null",
                "\"500\" | \"500\"",
                "[1, \"a\"] | [1,\"a\"]",
                "{\"a\": {\"b\": 2}} | {\"a\":{\"b\":2}}",
                "Fe2O3 | \"Fe2O3\"",
                "007 | \"007\"",
                "[Na+] | \"[Na+]\"",
                "a=b | \"a=b\"",
                "`` | \"\"",
                "True | \"True\"",
            })
    void aParamIsJsonOrElseText(String typed, String json) {
        fixture.run("submit", "--model", "mace", "--param", "k=" + typed);
        assertThat(server.received().getLast().body()).endsWith("\"params\":{\"k\":" + json + "}}");
    }

    @Test
    void laterParamsWinOverEarlierOnesAndOverFiles() throws Exception {
        fixture.file("a.json", "{\"a\": 1, \"b\": 1, \"c\": 1}");
        fixture.setInput("{\"b\": 2, \"c\": 2}\n");
        Map<?, ?> body =
                sent(
                        "submit",
                        "--param",
                        "c=3",
                        "--model",
                        "mace",
                        "--params-file",
                        "a.json",
                        "--params-file",
                        "-",
                        "--param",
                        "d=3",
                        "--param",
                        "d=4");
        assertThat(body.get("params"))
                .isEqualTo(
                        Map.of(
                                "a", number("1"),
                                "b", number("2"),
                                "c", number("3"),
                                "d", number("4")));
    }

    @Test
    void aFileThatIsNoJsonObjectIsRefused() {
        fixture.file("list.json", "[1]");
        fixture.file("bad.json", "{\"a\": }");
        fixture.file("empty.json", " \n");
        String[][] refused = {
            {"list.json", "1", "list.json is not a JSON object, like {\"n\": 7}"},
            {"bad.json", "1", "bad.json is not JSON: no value at character 6"},
            {"empty.json", "1", "empty.json is empty"},
            {"none.json", "2", "no file 'none.json' here"},
            {".", "2", "no file '.' here"},
        };
        for (String[] one : refused) {
            Result result = fixture.run("submit", "--model", "mace", "--params-file", one[0]);
            assertThat(result.status()).as(one[0]).isEqualTo(Integer.parseInt(one[1]));
            assertThat(result.err()).startsWith("berth: " + one[2] + "\n");
        }
        assertThat(server.received()).isEmpty();
    }

    @Test
    void paramsOfATaskWithACommandAreRefusedWithWhatToDo() {
        fixture.file("s.sh", "echo hi\n");
        fixture.file("p.json", "{}");
        for (List<String> rest :
                List.of(
                        List.of("--param", "n=1", "--", "true"),
                        List.of("--params-file", "p.json", "s.sh"),
                        List.of("--param", "n=1", "-"))) {
            String[] words = new String[rest.size() + 3];
            words[0] = "submit";
            words[1] = "--model";
            words[2] = "mace";
            for (int at = 0; at < rest.size(); at++) {
                words[at + 3] = rest.get(at);
            }
            Result result = fixture.run(words);
            assertThat(result.status()).isEqualTo(2);
            assertThat(result.err())
                    .startsWith(
                            "berth: "
                                    + rest.getFirst()
                                    + " is for a task that a worker of its model runs: give --model"
                                    + " NAME and leave out the command, or put the values into the"
                                    + " command\n");
        }
        assertThat(fixture.run("submit", "--param", "n=1").err()).contains("give --model NAME");
        assertThat(server.received()).isEmpty();
    }

    @Test
    void aScriptCannotContainParams() {
        fixture.file("s.sh", "#BERTH --model mace --param n=1\necho hi\n");
        assertThat(fixture.run("submit", "s.sh").err())
                .startsWith("berth: s.sh line 1: unknown option --param");
    }

    @Test
    void whatAWorkerCannotHaveIsRefused() {
        for (String option : List.of("--env=A=1", "--work-dir=/tmp")) {
            Result result = fixture.run("submit", "--model", "mace", option);
            assertThat(result.status()).isEqualTo(2);
            assertThat(result.err())
                    .startsWith(
                            "berth: "
                                    + option.substring(0, option.indexOf('='))
                                    + " is for a task with a command");
        }
        for (String param : List.of("n", "=1", "")) {
            Result result = fixture.run("submit", "--model", "mace", "--param", param);
            assertThat(result.status()).isEqualTo(2);
            assertThat(result.err()).startsWith("berth: --param '" + param + "' is invalid: K=V");
        }
        assertThat(fixture.run("submit", "--model", "mace", "--param", "k=\ufffd").err())
                .contains("set LC_ALL=C.UTF-8");
        assertThat(fixture.run("submit", "--model", "mace", "--draft", "--wait").err())
                .startsWith("berth: --wait would not return");
        assertThat(server.received()).isEmpty();
    }

    @Test
    void waitPrintsOnlyTheResult() {
        server.on(
                WAIT,
                server.json(200, modelTask().running(0).toString()),
                server.json(
                        200,
                        modelTask()
                                .ended("completed", 0)
                                .with("result", Map.of("e", -1.5))
                                .toString()));
        assertThat(fixture.run("submit", "--model", "mace", "--wait"))
                .isEqualTo(new Result(0, "{\"e\": -1.5}\n", "berth: task 7\n"));
    }

    @Test
    void aResultOfNothingIsPrintedToo() {
        server.on(WAIT, modelTask().ended("completed", 0).with("result", null).toString());
        assertThat(fixture.run("submit", "--model", "mace", "--wait").out()).isEqualTo("null\n");
    }

    @Test
    void followPrintsTheLogAndThenTheResult() {
        String ended =
                modelTask().ended("completed", 0).with("result", List.of("a", true)).toString();
        server.on("GET /api/tasks/7", ended);
        server.on(WAIT, ended);
        server.on(
                "GET /api/tasks/7/logs/raw?limit=262144&from=0&banner=false",
                server.raw(
                        "HTTP/1.1 200 OK\r\nX-Log-Attempts: 1\r\nX-Log-Attempt: 1\r\n"
                                + "X-Next-Offset: 5\r\nContent-Length: 5\r\n\r\nstep\n"));
        server.on(
                "GET /api/tasks/7/logs/raw?limit=262144&from=5&banner=false&attempt=1",
                server.raw(
                        "HTTP/1.1 200 OK\r\nX-Log-Attempts: 1\r\nX-Log-Attempt: 1\r\n"
                                + "X-Next-Offset: 5\r\nContent-Length: 0\r\n\r\n"));
        assertThat(fixture.run("submit", "--model", "mace", "-f"))
                .isEqualTo(new Result(0, "step\n[\"a\", true]\n", "berth: task 7\n"));
    }

    @Test
    void aFailureHasNoResultAndItsExitCode() {
        server.on(WAIT, modelTask().ended("failed", null).with("error", "OOM").toString());
        assertThat(fixture.run("submit", "--model", "mace", "--wait"))
                .isEqualTo(new Result(1, "", "berth: task 7\nberth: task 7 failed: OOM\n"));
        server.reset(WAIT);
        server.on(WAIT, modelTask().ended("cancelled", null).toString());
        assertThat(fixture.run("submit", "--model", "mace", "--wait").status()).isEqualTo(130);
    }

    @Test
    void jsonIsTheWholeTask() {
        String ended = modelTask().ended("completed", 0).with("result", List.of(1)).toString();
        server.on(WAIT, ended);
        assertThat(fixture.run("submit", "--model", "mace", "--wait", "--json"))
                .isEqualTo(new Result(0, ended + "\n", ""));
    }
}
