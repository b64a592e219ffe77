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

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What a task gets from the shell in which it was submitted. */
class CallerShellTest {

    private static final String SERVER = "GET /api/server";
    private static final String LIMITS =
            """
            Limit                     Soft Limit           Hard Limit           Units
            Max cpu time              unlimited            unlimited            seconds
            Max stack size            8388608              unlimited            bytes
            Max open files            1024                 1048576              files
            Max nice priority         0                    0
            """;

    @TempDir private Path root;
    private CliFixture fixture;
    private StubServer server;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        server = fixture.server();
        server.on("POST /api/tasks", server.json(201, SampleTaskJson.detail(7).toString()));
        server.on(SERVER, "{\"mode\":\"system\"}");
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void useSocket() {
        fixture.env().remove("BERTH_HOME");
        fixture.env().put("BERTH_SOCKET", fixture.home().resolve("berth.sock").toString());
    }

    private Map<?, ?> sent(String... words) throws Exception {
        Result result = fixture.run(words);
        assertThat(result).isEqualTo(new Result(0, "7\n", ""));
        return (Map<?, ?>) JsonParser.parse(server.received().getLast().body());
    }

    private Map<?, ?> shell() throws Exception {
        Path process = Files.createDirectories(root.resolve("proc"));
        Files.writeString(process.resolve("status"), "Name:\tjava\nUmask:\t0027\nState:\tR\n");
        Files.writeString(process.resolve("limits"), LIMITS);
        return CallerShell.field(fixture.context(System.out, System.err), process);
    }

    @Test
    void aSystemServerGetsTheShellOfTheCaller() throws Exception {
        useSocket();
        fixture.env().put("CONDA_PREFIX", "/opt/conda");
        Map<?, ?> shell = (Map<?, ?>) sent("submit", "--", "true").get("shell");
        assertThat((Map<?, ?>) shell.get("environment"))
                .isEqualTo(Map.of("CONDA_PREFIX", "/opt/conda", "HOME", root.toString()));
        assertThat((String) shell.get("umask")).matches("0[0-7]{3}");
        assertThat(shell.get("limits").toString()).contains("nofile", "nproc", "stack", "memlock");
    }

    @Test
    void onRequestTheTaskGetsTheValuesOfTheAccount() throws Exception {
        useSocket();
        assertThat(sent("submit", "--export", "none", "--", "true").get("shell")).isNull();
        Path script = fixture.file("job.sh", "#!/bin/bash\n#BERTH --export none\ntrue\n");
        assertThat(sent("submit", script.toString()).get("shell")).isNull();
        assertThat(sent("submit", "--export", "all", script.toString()).get("shell")).isNotNull();
        Result wrong = fixture.run("submit", "--export", "some", "--", "true");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("--export must be all or none, not 'some'");
    }

    @Test
    void aServerOfOneUserIsNotAskedAndGetsNoShell() throws Exception {
        assertThat(sent("submit", "--", "true").get("shell")).isNull();
        assertThat(server.requestLines()).containsExactly("POST /api/tasks");
        useSocket();
        server.reset(SERVER);
        server.on(SERVER, "{\"mode\":\"personal\"}");
        assertThat(sent("submit", "--", "true").get("shell")).isNull();
        server.reset(SERVER);
        server.on(SERVER, "{\"version\":\"0.1\"}");
        assertThat(sent("submit", "--", "true").get("shell")).isNull();
    }

    @Test
    void aSubmitSaysWhichOfTwoServersItUsesAlsoWithoutATerminal() throws Exception {
        fixture.env().remove("BERTH_HOME");
        Path home = Files.createDirectories(root.resolve(".berth"));
        fixture.env().put("BERTH_SYSTEM_SOCKET", fixture.home().resolve("berth.sock").toString());
        Result result = fixture.run("submit", "--", "true");
        assertThat(result.out()).isEqualTo("7\n");
        assertThat(result.err())
                .isEqualTo(
                        "berth: using the server of this machine, because your own server at "
                                + home
                                + " does not run; `berth start` starts it\n");
    }

    @Test
    void theUmaskAndTheSoftLimitsAreThoseOfTheProcess() throws Exception {
        assertThat(shell().get("umask")).isEqualTo("0027");
        assertThat((Map<?, ?>) shell().get("limits"))
                .isEqualTo(
                        Map.of(
                                "cpu",
                                "unlimited",
                                "stack",
                                "8388608",
                                "nofile",
                                "1024",
                                "nice",
                                "0"));
    }

    @Test
    void variablesOfTheSessionAndOfBerthStayBehind() throws Exception {
        Map<String, String> env = fixture.env();
        env.clear();
        for (String name :
                List.of(
                        "PWD",
                        "OLDPWD",
                        "SHLVL",
                        "_",
                        "TMUX",
                        "STY",
                        "DISPLAY",
                        "SSH_TTY",
                        "SSH_CONNECTION",
                        "XDG_RUNTIME_DIR",
                        "BASH_FUNC_module%%",
                        "BASHOPTS",
                        "UID",
                        "CUDA_VISIBLE_DEVICES",
                        "BERTH_JAVA_OPTS",
                        "JAVA_TOOL_OPTIONS",
                        "LOG_FILE")) {
            env.put(name, "x");
        }
        env.put("SSH_AUTH_SOCK", "/tmp/agent");
        env.put("PATH", "/bin");
        env.put("EMPTY", "");
        assertThat((Map<?, ?>) shell().get("environment"))
                .isEqualTo(Map.of("SSH_AUTH_SOCK", "/tmp/agent", "PATH", "/bin", "EMPTY", ""));
    }

    @Test
    void theLocaleThatTheLauncherChangedIsThatOfTheCaller() throws Exception {
        Map<String, String> env = fixture.env();
        env.clear();
        env.putAll(
                Map.of(
                        "LC_CTYPE", "C.UTF-8",
                        "BERTH_CALLER_LC_CTYPE", "",
                        "LC_ALL", "C.UTF-8",
                        "BERTH_CALLER_LC_ALL", "C",
                        "LANG", "C"));
        assertThat((Map<?, ?>) shell().get("environment"))
                .isEqualTo(Map.of("LC_ALL", "C", "LANG", "C"));
    }

    @Test
    void aValueThatIsNoTextIsLeftOutWithAMessage() throws Exception {
        useSocket();
        fixture.env().put("BROKEN", "a\ufffdb");
        Result result = fixture.run("submit", "--", "true");
        assertThat(result.err())
                .isEqualTo(
                        "berth: the variable BROKEN is not UTF-8 text; the task does not get it\n");
        assertThat(server.received().getLast().body()).doesNotContain("BROKEN");
    }
}
