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
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class SubmitCommandTest {

    private static final String POST = "POST /api/tasks";

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

    private void accepts() {
        server.on(POST, server.json(201, SampleTaskJson.detail(7).toString()));
    }

    /** The body that this call sends, with numbers as they are written. */
    private Map<?, ?> sent(String... words) throws Exception {
        accepts();
        Result result = fixture.run(words);
        assertThat(result).isEqualTo(new Result(0, "7\n", ""));
        return (Map<?, ?>) JsonParser.parse(server.received().getLast().body());
    }

    private static JsonParser.JsonNumber number(String text) {
        return new JsonParser.JsonNumber(text);
    }

    @Test
    void oneWordIsScriptText() throws Exception {
        assertThat(sent("submit", "--", "echo $HOME && ls | wc"))
                .isEqualTo(
                        Map.of(
                                "name", "echo $HOME && ls | wc",
                                "command", "echo $HOME && ls | wc",
                                "work_dir", fixture.cwd().toString()));
    }

    @Test
    void severalWordsAreQuotedEach() throws Exception {
        Map<?, ?> body = sent("submit", "--", "python", "train.py", "--name", "it's $HOME");
        assertThat(body.get("command")).isEqualTo("python train.py --name 'it'\\''s $HOME'");
        assertThat(body.get("name")).isEqualTo("python train.py --name 'it'\\''s $HOME'");
    }

    @Test
    void theCommandReachesARealBashAsItWasTyped() throws Exception {
        String[] words = {"submit", "--", "printf", "[%s]", "a b", "it's", "$HOME", "", "训\n练"};
        String command = String.valueOf(sent(words).get("command"));
        Process bash = new ProcessBuilder("bash", "-c", command).start();
        assertThat(new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("[a b][it's][$HOME][][训\n练]");
    }

    @Test
    void everyOptionBecomesItsField() throws Exception {
        fixture.env().put("TOKEN", "s3cret");
        Map<?, ?> body =
                sent(
                        "submit",
                        "--gpus",
                        "2",
                        "--memory",
                        "20G",
                        "--type",
                        "A100",
                        "--device",
                        "0,1",
                        "--priority",
                        "high",
                        "--time",
                        "2h",
                        "--retries",
                        "3",
                        "--lane",
                        "x",
                        "--name",
                        "my run",
                        "--env",
                        "A=1=2",
                        "--env",
                        "TOKEN",
                        "--env",
                        "B=",
                        "--work-dir",
                        "../data",
                        "--",
                        "true");
        Map<String, Object> expected = new LinkedHashMap<>();
        expected.put("name", "my run");
        expected.put("command", "true");
        expected.put("devices", "0,1");
        expected.put("gpu_count", number("2"));
        expected.put("gpu_type", "A100");
        expected.put("memory_gb", number("20.0"));
        expected.put("priority", "HIGH");
        expected.put("timeout_seconds", number("7200"));
        expected.put("max_retries", number("3"));
        expected.put("lane", "x");
        expected.put("work_dir", root.resolve("data").toString());
        expected.put("env", Map.of("A", "1=2", "TOKEN", "s3cret", "B", ""));
        assertThat(body).isEqualTo(expected);
    }

    @Test
    void whatAModelTaskIsAboutIsSentToo() throws Exception {
        Map<?, ?> body =
                sent(
                        "submit",
                        "--model",
                        "mace",
                        "--task-type",
                        "relax",
                        "--atoms",
                        "0",
                        "--share",
                        "--draft",
                        "--",
                        "true");
        assertThat(body.get("model_name")).isEqualTo("mace");
        assertThat(body.get("task_type")).isEqualTo("relax");
        assertThat(body.get("structure_n_atoms")).isEqualTo(number("0"));
        assertThat(body.get("share")).isEqualTo(true);
        assertThat(body.get("draft")).isEqualTo(true);
    }

    @Test
    void optionsThatAreNotGivenAreNotSent() throws Exception {
        Map<?, ?> body = sent("submit", "--", "true");
        assertThat(body.keySet())
                .extracting(String::valueOf)
                .containsExactlyInAnyOrder("name", "command", "work_dir");
    }

    @Test
    void aScriptMaySayThemAsWell() throws Exception {
        fixture.file(
                "a.sh",
                """
                #!/bin/bash
                #BERTH --gpus 2-4 --device 0,1,2,3 --share --memory 8G
                #BERTH --time 1h30m --model mace --task-type relax --atoms 12 --draft
                #BERTH --lane nightly --retries 3
                true
                """);
        Map<?, ?> body = sent("submit", "--time", "2h", "--retries", "2", "a.sh");
        assertThat(body.get("lane")).isEqualTo("nightly");
        assertThat(body.get("max_retries")).isEqualTo(number("2"));
        assertThat(body.get("min_gpu")).isEqualTo(number("2"));
        assertThat(body.get("max_gpu")).isEqualTo(number("4"));
        assertThat(body.get("devices")).isEqualTo("0,1,2,3");
        assertThat(body.get("share")).isEqualTo(true);
        assertThat(body.get("timeout_seconds")).isEqualTo(number("7200"));
        assertThat(body.get("model_name")).isEqualTo("mace");
        assertThat(body.get("task_type")).isEqualTo("relax");
        assertThat(body.get("structure_n_atoms")).isEqualTo(number("12"));
        assertThat(body.get("draft")).isEqualTo(true);
    }

    @Test
    void aDraftIsNotWaitedFor() {
        Result result = fixture.run("submit", "--draft", "--wait", "--", "true");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("berth: --wait would not return: a draft starts only");
        fixture.file("a.sh", "#BERTH --draft\ntrue\n");
        assertThat(fixture.run("submit", "--wait", "a.sh").status()).isEqualTo(2);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void noGpusIsRequestedByTheDevice() throws Exception {
        assertThat(sent("submit", "--device", "cpu", "--", "true").get("devices")).isEqualTo("cpu");
        assertThat(sent("submit", "-g0", "--device", "cpu", "--", "true").get("gpu_count"))
                .isEqualTo(number("0"));
        assertThat(fixture.run("submit", "--gpus", "0", "--", "true").err())
                .startsWith(
                        "berth: --gpus '0' is invalid: a number, 1 or more, or a range like"
                                + " 2-4 (no GPU: --device cpu)\nUsage: ");
    }

    @ParameterizedTest
    @CsvSource({"2-4, 2, 4", "1-8, 1, 8", "3-3, 3, 3"})
    void aRangeOfCardsIsSentAsOne(String typed, String least, String most) throws Exception {
        Map<?, ?> body = sent("submit", "--gpus", typed, "--", "true");
        assertThat(body.get("min_gpu")).isEqualTo(number(least));
        assertThat(body.get("max_gpu")).isEqualTo(number(most));
        assertThat(body.containsKey("gpu_count")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"2h, 7200", "90m, 5400", "30s, 30", "1d, 86400", "1h30m, 5400"})
    void aTimeLimitIsSentInSeconds(String typed, String sent) throws Exception {
        assertThat(sent("submit", "--time", typed, "--", "true").get("timeout_seconds"))
                .isEqualTo(number(sent));
    }

    @ParameterizedTest
    @CsvSource({"20480M, 20.0", "20, 20.0", "512M, 0.5"})
    void memoryIsSentInGigabytes(String typed, String sent) throws Exception {
        assertThat(sent("submit", "-m", typed, "--", "true").get("memory_gb"))
                .isEqualTo(number(sent));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--gpus=two",
                "--gpus=-1",
                "--gpus=1.5",
                "--gpus=1e9",
                "--gpus=2-x",
                "--gpus=4-2",
                "--gpus=0",
                "--gpus=0-2",
                "--gpus=2-",
                "--gpus=-",
                "--gpus=1-2-3",
                "--gpus=",
                "--memory=much",
                "--memory=none",
                "--time=2",
                "--time=soon",
                "--time=0s",
                "--time=-1h",
                "--time=30m1h",
                "--time=none",
                "--retries=-1",
                "--retries=often",
                "--atoms=-1",
                "--atoms=few",
                "--env==x",
                "--env=NOT_SET_HERE",
            })
    void whatCannotBeReadIsNotUnderstoodAndNamesTheOption(String option) {
        Result result = fixture.run("submit", option, "--", "true");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .startsWith("berth: " + option.substring(0, option.indexOf('=')) + " '")
                .contains("\nUsage: berth submit [OPTIONS] ");
        assertThat(server.received()).isEmpty();
    }

    @Test
    void whatTheServerDoesNotTakeIsPrinted() {
        server.on(
                POST,
                server.json(
                        422,
                        "{\"detail\":\"Letters, digits and ._- only.\",\"code\":\"invalid\","
                                + "\"field\":\"lane\",\"params\":{}}"));
        assertThat(fixture.run("submit", "--lane", "a b", "--", "true"))
                .isEqualTo(new Result(1, "", "berth: Letters, digits and ._- only. (lane)\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'# a comment\n\n  source env.sh\npython x' | source env.sh",
                "'# only a comment' | '# only a comment'",
                "'echo a\tb' | echo a b",
                "'python train.py --learning-rate 0.001 --epochs 90' |"
                        + " 'python train.py --l…te 0.001 --epochs 90'",
                "'训练训练训练训练训练训练训练训练训练训练训练' | 训练训练训练训练训…训练训练训练训练训练",
            })
    void aTaskWithoutANameIsCalledAfterItsFirstLine(String command, String name) throws Exception {
        assertThat(sent("submit", "--", command).get("name")).isEqualTo(name);
    }

    @Test
    void aCallThatSaysNotWhatToRunIsAUsageError() {
        assertThat(fixture.run("submit").err())
                .startsWith(
                        "berth: give a command after --, or --model NAME to let a worker of that"
                                + " model run the task\n");
        assertThat(fixture.run("submit", "--").err())
                .startsWith("berth: there is no command after --\n");
        assertThat(fixture.run("submit", "--", " ").status()).isEqualTo(2);
        assertThat(fixture.run("submit", "echo", "hi").err())
                .startsWith("berth: put -- before a command of several words\n");
        assertThat(fixture.run("submit", "echo hi").err())
                .startsWith("berth: no file 'echo hi' here (a command goes after --)\n");
        assertThat(fixture.run("submit", "x.sh", "--", "true").status()).isEqualTo(2);
    }

    @Test
    void textThatTheJvmCouldNotDecodeIsNotSubmitted() {
        Result result = fixture.run("submit", "--", "echo \ufffd\ufffd");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("cannot be read in this locale: set LC_ALL=C.UTF-8");
        assertThat(fixture.run("submit", "--name", "\ufffd", "--", "true").status()).isEqualTo(1);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void aLostConnectionIsTriedAgainWithTheSameKey() {
        server.on(
                POST,
                server.after(() -> server.restart(), server.closeWithoutReply()),
                server.closeWithoutReply(),
                server.json(200, SampleTaskJson.detail(7).toString()));
        assertThat(fixture.run("submit", "--", "true")).isEqualTo(new Result(0, "7\n", ""));
        List<StubServer.ReceivedRequest> seen = server.received();
        assertThat(seen).hasSize(3);
        assertThat(seen)
                .extracting(StubServer.ReceivedRequest::body)
                .containsOnly(seen.getFirst().body());
        String key = seen.getFirst().headers().get("idempotency-key");
        assertThat(key).matches("[0-9a-f]{32}");
        assertThat(seen)
                .extracting(request -> request.headers().get("idempotency-key"))
                .containsOnly(key);
    }

    @Test
    void everySubmitHasItsOwnKey() {
        accepts();
        fixture.run("submit", "--", "true");
        fixture.run("submit", "--", "true");
        assertThat(server.received())
                .extracting(request -> request.headers().get("idempotency-key"))
                .doesNotHaveDuplicates();
    }

    @Test
    void anOutageIsMentionedWhenItTakesLong() {
        server.on(
                POST,
                server.after(() -> server.close(), server.closeWithoutReply()),
                server.json(200, SampleTaskJson.detail(7).toString()));
        fixture.clock()
                .onSleep(
                        () -> {
                            if (fixture.clock().sleptTotal().toSeconds() == 5) {
                                fixture.clock().onSleep(() -> {});
                                server.start();
                            }
                        });
        assertThat(fixture.run("submit", "--", "true"))
                .isEqualTo(
                        new Result(
                                0,
                                "7\n",
                                "berth: lost the server at " + fixture.home() + "; retrying\n"));
    }

    @Test
    void anOutageThatDoesNotEndIsGivenUp() {
        server.on(POST, server.closeWithoutReply());
        Result result = fixture.run("submit", "--", "true");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains("no answer from the server at " + fixture.home())
                .endsWith(
                        "the request may or may not have been carried out: check with `berth"
                                + " ls`\n");
        assertThat(fixture.clock().sleptTotal()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void noServerIsReportedImmediately() {
        server.close();
        Result result = fixture.run("submit", "--", "true");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).startsWith("berth: No Berth server at " + fixture.home());
        assertThat(fixture.clock().sleptTotal()).isZero();
    }

    @Test
    void waitEndsAsTheTaskDid() {
        accepts();
        server.on(
                "GET /api/tasks/7/wait?seconds=30", SampleTaskJson.detail(7).failed(9).toString());
        assertThat(fixture.run("submit", "--wait", "--", "exit 9"))
                .isEqualTo(new Result(9, "7\n", "berth: task 7 failed: exit code 9\n"));
        Result json = fixture.run("submit", "--wait", "--json", "--", "exit 9");
        assertThat(json.status()).isEqualTo(9);
        assertThat(json.out()).startsWith("{\"id\":7,").contains("\"failed\"").endsWith("}\n");
    }

    @Test
    void jsonIsTheUnchangedReply() {
        accepts();
        assertThat(fixture.run("submit", "--json", "--", "true").out())
                .isEqualTo(SampleTaskJson.detail(7) + "\n");
    }

    @Test
    void aScriptIsSentWholeAndCalledAfterItsFile() throws Exception {
        String text = "#!/bin/bash\n#BERTH --gpus 2 --name \"my run\"\n\necho hi # 训练\n";
        fixture.file("train.sh", text);
        Map<?, ?> body = sent("submit", "train.sh");
        assertThat(body.get("command")).isEqualTo(text);
        assertThat(body.get("name")).isEqualTo("my run");
        assertThat(body.get("gpu_count")).isEqualTo(number("2"));
        fixture.file("plain.sh", "echo hi");
        assertThat(sent("submit", "plain.sh").get("name")).isEqualTo("plain.sh");
        assertThat(sent("submit", fixture.cwd().resolve("plain.sh").toString()).get("name"))
                .isEqualTo("plain.sh");
    }

    @Test
    void theCommandLineWinsOverTheScript() throws Exception {
        fixture.file(
                "a.sh",
                """
                #!/usr/bin/env bash
                # what it needs:
                #BERTH --gpus 2 --env A=script   # two cards
                #BERTH --env B=script --memory 10G

                ##BERTH --gpus 9
                #BERTHED --gpus 9
                echo hi
                """);
        Map<?, ?> body = sent("submit", "--gpus", "4", "a.sh", "--env", "A=typed");
        assertThat(body.get("gpu_count")).isEqualTo(number("4"));
        assertThat(body.get("memory_gb")).isEqualTo(number("10.0"));
        assertThat(body.get("env")).isEqualTo(Map.of("A", "typed", "B", "script"));
    }

    @Test
    void aMistakeInTheScriptIsNamedWithItsLine() {
        fixture.file("a.sh", "#!/bin/sh\n#BERTH --gpu 2\ntrue\n");
        assertThat(fixture.run("submit", "a.sh").err())
                .startsWith("berth: a.sh line 2: unknown option --gpu: did you mean --gpus?\n");
        fixture.file("a.sh", "#BERTH --name 'x\n");
        assertThat(fixture.run("submit", "a.sh").err())
                .startsWith("berth: a.sh line 1: a quote (') is not closed\n");
        fixture.file("a.sh", "#BERTH 2\n");
        assertThat(fixture.run("submit", "a.sh").err())
                .startsWith("berth: a.sh line 1: unexpected '2'\n");
        fixture.file("a.sh", "#BERTH --gpus\n#BERTH 2\n");
        assertThat(fixture.run("submit", "a.sh").err())
                .startsWith("berth: a.sh line 1: option --gpus");
        fixture.file("a.sh", "#BERTH --home /x\n");
        assertThat(fixture.run("submit", "a.sh").err())
                .startsWith("berth: a.sh line 1: a script can contain only task options\n");
        fixture.file("a.sh", "#BERTH --wait\n");
        assertThat(fixture.run("submit", "a.sh").status()).isEqualTo(2);
    }

    @Test
    void aDirectiveThatComesTooLateIsPointedOut() {
        accepts();
        fixture.file("a.sh", "echo hi\n#BERTH --gpus 2\n");
        assertThat(fixture.run("submit", "a.sh"))
                .isEqualTo(
                        new Result(
                                0,
                                "7\n",
                                "berth: a.sh line 2: #BERTH after the first command is not"
                                        + " read\n"));
        assertThat(server.received().getLast().body()).doesNotContain("gpu_count");
    }

    @Test
    void followPrintsTheLogAndExitsWithTheTasksCode() {
        String raw = "GET /api/tasks/7/logs/raw?limit=262144&from=";
        String head =
                "HTTP/1.1 200 OK\r\nX-Log-Attempt: 1\r\nX-Log-Attempts: 1\r\nX-Next-Offset: 4"
                        + "\r\nContent-Length: ";
        SampleTaskJson ended = SampleTaskJson.detail(7).failed(3);
        fixture.server()
                .on("POST /api/tasks", SampleTaskJson.detail(7).toString())
                .on("GET /api/tasks/7", ended.toString())
                .on(raw + "0&banner=false", fixture.server().raw(head + "4\r\n\r\nhi!\n"))
                .on(raw + "4&banner=false&attempt=1", fixture.server().raw(head + "0\r\n\r\n"))
                .on("GET /api/tasks/7/wait?seconds=30", ended.toString());
        Result result = fixture.run("submit", "--follow", "--", "true");
        assertThat(result.status()).isEqualTo(3);
        assertThat(result.out()).as("only the output of the task").isEqualTo("hi!\n");
        assertThat(result.err()).startsWith("berth: task 7\nberth: task 7 failed");
        assertThat(fixture.run("submit", "-f", "--draft", "--", "true").err())
                .startsWith("berth: --follow would not return");
    }

    @Test
    void aScriptMayComeFromStandardInput() throws Exception {
        fixture.setInput("#BERTH --gpus 3\npython x.py\n");
        Map<?, ?> body = sent("submit", "-");
        assertThat(body.get("gpu_count")).isEqualTo(number("3"));
        assertThat(body.get("name")).isEqualTo("python x.py");
    }

    @Test
    void aShellScriptNeedsNeitherEndingNorFirstLine() throws Exception {
        for (String name : List.of("r", "train", "job.slurm", "py.sh")) {
            fixture.file(name, "cd /data\nimport_data --all\nfrom=1\n");
            assertThat(sent("submit", name).get("name")).isEqualTo(name);
        }
    }

    @Test
    void whatIsNoShellScriptIsNotSubmittedAsOne() throws Exception {
        fixture.file("x.py", "#!/usr/bin/env -S python3 -u\nprint()\n");
        assertThat(fixture.run("submit", "x.py"))
                .isEqualTo(
                        new Result(
                                1,
                                "",
                                "berth: x.py is not a shell script (#!/usr/bin/env -S python3 -u):"
                                        + " submit a command that runs it, after --\n"));
        fixture.file("my train.py", "# a comment\nprint('hi')\n");
        assertThat(fixture.run("submit", "my train.py"))
                .isEqualTo(
                        new Result(
                                1,
                                "",
                                "berth: my train.py is not a shell script: submit a command that"
                                        + " runs it, `berth submit -- python 'my train.py'`; a"
                                        + " shell script without a #! line can get one\n"));
        fixture.setInput("#BERTH --gpus 1\n\nimport torch.nn as nn, sys\n");
        assertThat(fixture.run("submit", "-").err())
                .contains("standard input is not a shell script", "-- python SCRIPT`");
        assertThat(fixture.server().received()).isEmpty();
        Files.write(fixture.cwd().resolve("x.bin"), new byte[] {'a', (byte) 0xff, (byte) 0xfe});
        assertThat(fixture.run("submit", "x.bin").err())
                .isEqualTo("berth: x.bin is not a script: it is not UTF-8 text\n");
        fixture.file("nul.sh", "echo \0");
        assertThat(fixture.run("submit", "nul.sh").status()).isEqualTo(1);
        fixture.file("empty.sh", "\n \n");
        assertThat(fixture.run("submit", "empty.sh").err()).isEqualTo("berth: empty.sh is empty\n");
        assertThat(fixture.run("submit", ".").status()).as("a directory").isEqualTo(2);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void aFileThatIsFarTooLargeIsNotRead() throws Exception {
        Files.write(fixture.cwd().resolve("big.sh"), new byte[17 * 1024 * 1024]);
        assertThat(fixture.run("submit", "big.sh").err())
                .isEqualTo("berth: big.sh is larger than 16 MiB\n");
    }
}
