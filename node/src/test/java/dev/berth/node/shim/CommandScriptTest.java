package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.Script;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A command behaves like the same lines in a script file. */
@ParameterizedClass
@EnumSource
class CommandScriptTest {
    @Parameter ShimKind kind;
    @TempDir Path root;
    private ShimFixture shims;

    @BeforeEach
    void open() throws IOException {
        shims = new ShimFixture(root, kind);
    }

    @AfterEach
    void close() throws IOException {
        if (shims != null) {
            shims.close();
        }
    }

    static Stream<String> scripts() {
        return Stream.of(
                "",
                "exit 4",
                "exit 256",
                "echo a\nfalse",
                "set -e\nfalse\necho no",
                "set -eo pipefail\nfalse | true\necho no",
                "echo \"unbalanced\necho b",
                "echo a\n)\necho b",
                "echo a\nif true\nthen echo x",
                "echo $((1/0))\necho on",
                "cat <<X\n$((1+1))\nX\necho after",
                "cat <<'X'\n$no\nX",
                "cat <<X\nnever ended",
                "f() {\n  return 3\n}\nf\necho $?",
                "exec sh -c 'exit 9'",
                "exec bash -c 'echo in; exit 8'\necho not here",
                "echo a # a comment",
                "# only a comment",
                "echo a \\\n  b",
                "echo ends in a backslash \\",
                "true &",
                "sleep 0 & wait $!; echo $?",
                "echo a\r\necho b\r\n",
                "printf '\\xff\\xfe\\n'; echo 你好",
                "echo \\0 '\\n' \"\\t\"",
                "shopt -s expand_aliases\nalias zz='echo alias'\nzz 1",
                "echo $# \"$*\"; shift; echo $?",
                "return 5\necho after",
                "kill -9 $$",
                "kill -TERM $$",
                "trap 'echo bye' EXIT\nexit 4",
                "trap - EXIT\nexit 4",
                "x=$(cat); echo \"[$x]\"",
                "read -r line; echo $? \"[$line]\"",
                "nosuchprogram\necho $?",
                "nosuchprogram",
                "readonly a=1\na=2\necho c",
                "for i in 1 2; do echo $i\ndone; exit",
                "echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL; exit 3); echo $?",
                "set -- a b; echo $2; declare -A m=([k]=v); echo ${m[k]}",
                "exec >/dev/null; echo hidden; exit 2",
                "exec 46>&- 47>&- 48>&-; exit 7",
                "exec 2>&-; exit 7");
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void behavesAsInAScriptFile(String script) throws Exception {
        var file = Files.writeString(root.resolve("file.sh"), script + "\n");
        var log = root.resolve("file.log").toFile();
        var plain =
                new ProcessBuilder("bash", file.toString())
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectOutput(log)
                        .redirectErrorStream(true)
                        .start()
                        .waitFor();

        var ran = shims.run(script);

        assertThat(ran.code()).isEqualTo(plain);
        var lines =
                new String(Files.readAllBytes(log.toPath()), StandardCharsets.UTF_8)
                        .lines()
                        .toList();
        assertThat(plainly(ran.output(), ran.directory().path())).isEqualTo(plainly(lines, root));
        assertThat(ran.log().lines().filter("===== Command Script Exit ====="::equals)).hasSize(1);
        assertThat(ran.log().lines().toList().reversed().get(2))
                .isEqualTo("===== Command Script Exit =====");
    }

    /** Without file names, line numbers, and the shim's message about a kill. */
    private static List<String> plainly(List<String> output, Path directory) {
        return output.stream()
                .filter(line -> !line.contains("run.sh: line") && !line.equals("Terminated"))
                .map(
                        line ->
                                line.replaceAll(
                                        "^"
                                                + directory
                                                + "/(file|command)\\.sh: (eval: )?line \\d+: ",
                                        "SCRIPT: "))
                .map(line -> line.replaceAll("at line \\d+ delimited", "at line N delimited"))
                .toList();
    }

    @Test
    void errorsNameTheLineOfCommandSh() throws Exception {
        var ran = shims.run("echo $LINENO\nnosuchprogram");

        assertThat(ran.output())
                .containsExactly(
                        "3",
                        ran.directory().commandScript()
                                + ": line 4: nosuchprogram: command not found");
        assertThat(Files.readAllLines(ran.directory().commandScript()).get(3))
                .isEqualTo("nosuchprogram");
    }

    @Test
    void theExitBannerShowsTheFinalPath() throws Exception {
        Files.createDirectories(root.resolve("env/bin"));
        Files.createSymbolicLink(root.resolve("env/bin/python"), Path.of("/bin/true"));

        var ran = shims.run("export PATH=" + root + "/env/bin:$PATH\nset -x\nexit 1");

        assertThat(ran.log())
                .contains("PATH: " + root + "/env/bin:")
                .endsWith("python -> " + root + "/env/bin/python\n");
        assertThat(ran.log()).as("no trace of the trap").doesNotContain("builtin printf");
    }

    @Test
    void theExitBannerIsAlwaysTheLastOutput() throws Exception {
        for (var script :
                List.of(
                        "kill -9 $$",
                        "exec true",
                        "trap 'echo own trap' EXIT",
                        "exec 47>&-",
                        "set -euo pipefail; exit 1",
                        "printf 'no newline'",
                        "head -c 100000 /dev/zero | tr '\\0' x",
                        "(sleep 1000 & echo $! >left); exit 0")) {
            var lines = shims.run(script).log().lines().toList();

            assertThat(lines.stream().filter("===== Command Script Exit ====="::equals))
                    .as(script)
                    .hasSize(1);
            assertThat(lines.reversed().get(2))
                    .as(script)
                    .isEqualTo("===== Command Script Exit =====");
        }
        new ProcessBuilder("kill", Files.readString(root.resolve("left")).strip())
                .start()
                .waitFor();
    }

    @Test
    void addsANewlineBeforeTheBannerOnlyIfNeeded() throws Exception {
        assertThat(shims.run("echo a").log()).contains("\na\n===== Command");
        assertThat(shims.run("printf a").log()).contains("\na\n===== Command");
        assertThat(shims.run("true").log()).doesNotContain("\n\n");
    }

    @Test
    void aMegabyteOfScriptRuns() throws Exception {
        var script =
                "x=0\n"
                        + "x=$((x+1)) # 中文 and some words to make it long enough\n".repeat(16_000)
                        + "echo $x";

        assertThat(shims.run(script).output()).containsExactly("16000");
    }

    @Test
    void aCondaPipelineWorks() throws Exception {
        Files.createDirectories(root.resolve("conda/envs/pt212/bin"));
        Files.writeString(
                root.resolve("conda/conda.sh"),
                "conda() { [ \"$1\" = activate ] && export PATH=%s/conda/envs/$2/bin:$PATH; }\n"
                        .formatted(root));
        var python =
                Script.write(
                        root.resolve("conda/envs/pt212/bin/python"),
                        "#!/bin/sh\necho \"python $* in $PWD\"\n");
        Files.createDirectories(root.resolve("explist"));

        var ran =
                shims.run(
                        """
                        source %1$s/conda/conda.sh
                        conda activate pt212
                        cd %1$s/explist
                        python test.py --num 10
                        """
                                .formatted(root));

        assertThat(ran.code()).isZero();
        assertThat(ran.output()).containsExactly("python test.py --num 10 in " + root + "/explist");
        assertThat(ran.log()).endsWith("python -> " + python + "\n");
    }
}
