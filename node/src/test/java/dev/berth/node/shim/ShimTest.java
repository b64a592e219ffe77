package dev.berth.node.shim;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.node.linux.Fifo;
import dev.berth.node.linux.Signal;
import dev.berth.node.process.ExitWatcher.ProcessEnd;
import dev.berth.node.process.Signals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

@ParameterizedClass
@EnumSource
class ShimTest {
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

    @Test
    void printsBannersAroundTheOutputAndKeepsTheExitStatus() throws Exception {
        var ran = shims.run("echo a; echo b >&2\nexit 3");

        assertThat(ran.code()).isEqualTo(3);
        assertThat(ran.end()).as("returned too").isEqualTo(shims.endOf(3));
        assertThat(ran.directory().exitRecord()).hasContent("3\n");
        assertThat(ran.log())
                .matches(
                        """
                        (?s)===== Scheduler Environment =====
                        Timestamp: \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[+-]\\d{4}
                        PATH: \\S+
                        Python on PATH: [^\\n]+
                        ===== Command Script Start =====
                        Script PATH: \\S+
                        command -v python: [^\\n]+
                        command -v conda: [^\\n]+
                        a
                        b
                        ===== Command Script Exit =====
                        PATH: \\S+
                        python -> [^\\n]+
                        """);
    }

    @Test
    void theStartBannerIsWhatTheCommandsShellFinds() throws Exception {
        var ran = shims.run(StartBanner.OF_SHELL);

        assertThat(Files.readString(ran.directory().commandScript()).contains(StartBanner.OF_SHIM))
                .isEqualTo(kind != ShimKind.BASH);
        var lines = ran.log().lines().toList();
        var banner = lines.subList(4, 8);
        assertThat(banner.getFirst()).isEqualTo("===== Command Script Start =====");
        assertThat(lines.subList(8, 12)).isEqualTo(banner);
    }

    @Test
    void theStartBannerFindsFilesThatCannotBeExecutedAsBashDoes() throws Exception {
        var plain = Files.createDirectory(root.resolve("plain"));
        var directory = Files.createDirectories(root.resolve("directory/python")).getParent();
        Files.createFile(plain.resolve("python"));
        for (var path : List.of(directory + ":" + plain + "/", plain + ":" + root, "" + root)) {
            var order = shims.order(StartBanner.OF_SHELL);
            var lines = shims.runInherited(order, Map.of("PATH", path)).log().lines().toList();
            assertThat(lines.subList(8, 12)).as(path).isEqualTo(lines.subList(4, 8));
        }
    }

    @Test
    void aScriptMayHoldEveryCharacter() throws Exception {
        var text = "\u0001\u007f\t'\"\\ $HOME ü中\uD83D\uDE00\r";
        var ran = shims.run("cat <<'END' | od -An -v -tx1 | tr -d ' \n'\n" + text + "\nEND\n");

        var bytes = HexFormat.of().formatHex((text + "\n").getBytes(StandardCharsets.UTF_8));
        assertThat(ran.log()).contains("\n" + bytes + "\n");
    }

    @Test
    void aLongScriptRunsToItsEnd() throws Exception {
        var ran = shims.run("# a comment of many words\n".repeat(40_000) + "echo $LINENO");

        assertThat(ran.output()).containsExactly("40003");
    }

    @Test
    void aCommandThatOpensItsOutputAgainKeepsTheLog() throws Exception {
        var ran =
                shims.run(
                        "echo a; echo b >/dev/stderr; echo c | tee /dev/stderr\n"
                                // Bash may lose a signal that its child gets before it is sleep.
                                + "sleep 600 & until read -r name </proc/$!/comm && [[ $name =="
                                + " sleep ]]; do :; done\n"
                                + "echo d >/dev/stdout; kill $!; wait $! || exit 4");

        assertThat(ran.code()).isEqualTo(4);
        assertThat(ran.output()).containsExactly("a", "b", "c", "c", "d");
        assertThat(ran.log()).startsWith("===== Scheduler Environment =====\n");
        assertThat(ran.log().indexOf("===== Command Script Exit"))
                .as("after all output")
                .isGreaterThan(ran.log().lastIndexOf("\nd\n"));
    }

    @Test
    void onlyTheCommandsOwnDescriptorsAreOpenInACommandWhoseOutputIsCopied() throws Exception {
        var ran = shims.run("echo /dev/stderr >/dev/null; ls /proc/self/fd | tr '\\n' ' '; echo");

        assertThat(ran.output()).containsExactly("0 1 2 3 47 ");
    }

    @Test
    void linesShareOneShell() throws Exception {
        assertThat(shims.run("export X=5\ncd /tmp\necho $X $PWD").output())
                .containsExactly("5 /tmp");
    }

    @Test
    void startsInTheWorkDirectoryWithTheServersUmask() throws Exception {
        assertThat(shims.run("pwd; umask; echo \"[$OLDPWD]\"").output())
                .containsExactly(root.toRealPath().toString(), "0022", "[]");
    }

    @Test
    void aMissingWorkDirectoryFailsBeforeTheFirstLine() throws Exception {
        var plain = shims.order("echo ran");
        var order =
                new ShimParameters(
                        plain.marker(),
                        plain.command(),
                        root.resolve("none"),
                        new TreeMap<>(),
                        List.of(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());

        var ran = shims.run(order);

        assertThat(ran.code()).isEqualTo(1);
        assertThat(ran.log()).contains("none: No such file or directory").doesNotContain("\nran\n");
    }

    @Test
    void removesEveryVenvFromThePath() throws Exception {
        for (var path :
                Map.of(
                                "/a/.venv/bin:/usr/bin:/bin", "/usr/bin:/bin",
                                "/usr/bin:/a/.venv/bin/:/bin:.venv/bin", "/usr/bin:/bin",
                                "/usr/bin::/bin:", "/usr/bin::/bin:",
                                ":/x.venv/bin:/.venv/bin:/usr/bin:/bin",
                                        ":/x.venv/bin:/usr/bin:/bin")
                        .entrySet()) {
            var directory = shims.prepare(shims.order("echo \"[$PATH]\""));
            var process =
                    new ProcessBuilder(
                                    shims.programFile().toString(),
                                    "-p",
                                    directory.runScript().toString())
                            .redirectOutput(directory.log().toFile())
                            .redirectErrorStream(true);
            process.environment().put("PATH", path.getKey());

            assertThat(process.start().waitFor()).isZero();
            assertThat(directory.log()).content().contains("\n[" + path.getValue() + "]\n");
            assertThat(directory.runScript())
                    .content()
                    .contains("VENV_BIN='" + root + "/.venv/bin'\n");
        }
    }

    @Test
    void exportsExactlyTheDocumentedVariables() throws Exception {
        var ran =
                shims.run(
                        "printf '%s\\n"
                            + "' \"$LOG_FILE\" $PYTHONUNBUFFERED $CUDA_DEVICE_ORDER"
                            + " $CUDA_VISIBLE_DEVICES $BERTH_ATTEMPT; env | grep -ci '^berth_' ;"
                            + " set | grep -c '^berth_'; echo /proc/self/fd/*");

        assertThat(ran.output())
                .containsExactly(
                        ran.directory().log().toString(),
                        "1",
                        "PCI_BUS_ID",
                        "0",
                        "h/1.1",
                        "1",
                        "0",
                        "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3"
                                + " /proc/self/fd/47");
    }

    @Test
    void aCpuTaskSeesNoGpu() throws Exception {
        var plain = shims.order("echo \"[$CUDA_VISIBLE_DEVICES]\"");
        var order =
                new ShimParameters(
                        plain.marker(),
                        plain.command(),
                        root,
                        new TreeMap<>(),
                        List.of(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());

        assertThat(shims.run(order).output()).containsExactly("[]");
    }

    @Test
    void passesVariablesWithAnyContent() throws Exception {
        var awkward = "it's \"$HOME\" `id` \\ \n second line";
        var order =
                shims.with(
                        shims.order(
                                "printf '%s\\n' \"$A\" \"$PYTHONUNBUFFERED\" \"$IFS\"; echo $PATH"),
                        Map.of(
                                "A",
                                awkward,
                                "PYTHONUNBUFFERED",
                                "0",
                                "IFS",
                                "x",
                                "PATH",
                                "/nowhere"));

        var ran = shims.run(order);

        assertThat(String.join("\n", ran.output())).isEqualTo(awkward + "\n0\n \t\n\n/nowhere");
        assertThat(ran.log()).endsWith("PATH: /nowhere\npython -> not found\n");
    }

    @Test
    void filesAreOnlyReadableByTheOwner() throws Exception {
        var directory = shims.run("true").directory();

        assertThat(mode(directory.path())).isEqualTo("rwx------");
        try (var files = Files.list(directory.path())) {
            assertThat(files.toList())
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(mode(file)).isEqualTo("rw-------"));
        }
    }

    @Test
    void aSecondShimRunsNothing() throws Exception {
        var directory = shims.prepare(shims.order("echo ran"));
        try (var first = shims.start(directory)) {
            first.await();
        }
        var log = Files.readString(directory.log());
        try (var second = shims.startWithoutRecord(directory)) {
            assertThat(second.await().end()).isEqualTo(new ProcessEnd.Exited(75));
        }

        assertThat(directory.log()).as("it does not even speak").hasContent(log);
        assertThat(GoFile.read(directory.go())).isInstanceOf(GoFile.Taken.class);
    }

    @Test
    void aTombstonePreventsTheStart() throws Exception {
        var directory = shims.prepare(shims.order("echo ran"));
        assertThat(GoFile.writeTombstone(directory.go())).isTrue();
        try (var shim = shims.start(directory)) {
            assertThat(shim.await().end()).isEqualTo(new ProcessEnd.Exited(75));
        }

        assertThat(directory.log()).isEmptyFile();
        assertThat(ExitRecord.read(directory)).isEqualTo(new ExitRecord.Absent());
        assertThat(GoFile.writeTombstone(directory.go())).as("only once").isFalse();
        assertThat(GoFile.read(directory.go())).isEqualTo(new GoFile.Tombstone());
    }

    @Test
    void writesItsIdentityToGo() throws Exception {
        try (var shim = shims.start(shims.prepare(shims.order("true")))) {
            shim.await();
            assertThat(GoFile.read(shim.directory().go())).isEqualTo(new GoFile.Taken(shim.shim()));
        }
    }

    @Test
    void writesTheExitRecordDespiteGroupSignals() throws Exception {
        var ran =
                shims.run("trap 'echo caught; exit 9' TERM; kill -HUP 0 & kill 0; wait; sleep 10");

        assertThat(ran.code()).isIn(9, 129);
        assertThat(ran.log()).contains("\n===== Command Script Exit =====\n");
    }

    @Test
    void theCommandGetsDefaultSignals() throws Exception {
        assertThat(shims.run("trap -p; kill -TERM $$; echo not here").code()).isEqualTo(143);
    }

    @Test
    void aShimWaitsForItsCommandAfterTerm() throws Exception {
        try (var shim =
                shims.start(
                        shims.prepare(
                                shims.order(
                                        "echo up; until [ -e go-on ]; do sleep 0.01; done;"
                                                + " exit 5")))) {
            eventually(
                    "the command runs",
                    () -> Files.readString(shim.directory().log()).contains("\nup\n"));
            assertThat(new Signals(true).send(shim.shim(), Signal.TERM)).isTrue();
            Files.createFile(root.resolve("go-on"));

            assertThat(shim.await().code()).isEqualTo(5);
        }
    }

    @Test
    void withoutAnOpenRecordItOpensItItself() throws Exception {
        try (var shim = shims.startWithoutRecord(shims.prepare(shims.order("exit 6")))) {
            var ran = shim.await();

            assertThat(ran.code()).isEqualTo(6);
            assertThat(ran.directory().exitRecord()).hasContent("6\n");
            if (kind == ShimKind.BASH) {
                assertThat(ran.directory().pendingExitRecord()).hasSize(ExitRecord.BYTES);
            }
        }
    }

    /** The last one has left its parent, its session and its environment. */
    @ParameterizedTest
    @ValueSource(strings = {"%s &", "setsid %s &", "(setsid env -i %s &)"})
    void theNativeShimKnowsThatAProcessIsLeft(String start) throws Exception {
        assumeTrue(kind != ShimKind.BASH, "bash does not tell");
        var left = root.resolve("left");
        var process = "/bin/bash -c 'echo $$ >" + left + "; exec sleep 600'";
        var ran =
                shims.run(
                        start.formatted(process)
                                + "\nuntil [ -s "
                                + left
                                + " ]; do sleep 0.01; done");
        var pid = Long.parseLong(Files.readString(left).strip());
        try {
            assertThat(ran.code()).isZero();
            assertThat(ran.end()).isNotEqualTo(NativeShim.ALL_GONE);
            assertThat(ProcessHandle.of(pid)).as("the shim ends nothing").isPresent();
        } finally {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void aDeletedDirectoryDoesNotBlockTheShim() throws Exception {
        for (var hasRecord : new boolean[] {true, false}) {
            var go = root.resolve("go-on-" + hasRecord);
            var directory =
                    shims.prepare(
                            shims.order("echo up; until [ -e " + go + " ]; do sleep 0.01; done"));
            try (var shim =
                    hasRecord ? shims.start(directory) : shims.startWithoutRecord(directory)) {
                eventually(
                        "the command runs",
                        () -> Files.readString(directory.log()).contains("\nup\n"));
                delete(directory.path());
                Files.createFile(go);

                assertThat(shim.ends().poll(3, java.util.concurrent.TimeUnit.MINUTES)).isNotNull();
                assertThat(ExitRecord.read(directory)).isEqualTo(new ExitRecord.Absent());
            }
        }
    }

    /** The launcher of the server sets others for the JVM. */
    @Test
    void theCommandHasTheLocaleOfTheServersCaller() throws Exception {
        var inherited =
                Map.of(
                        "LC_ALL", "C.UTF-8",
                        "BERTH_CALLER_LC_ALL", "",
                        "LC_CTYPE", "C.UTF-8",
                        "BERTH_CALLER_LC_CTYPE", "POSIX");
        var ended = shims.runInherited(shims.order("env | grep -E '^(LC_|BERTH_C)'"), inherited);
        assertThat(ended.log()).contains("\nLC_CTYPE=POSIX\n=====");
    }

    @Test
    void theCommandDoesNotHaveTheOptionsOfTheServersShell() throws Exception {
        var ended =
                shims.runInherited(
                        shims.order("false; echo on"), Map.of("SHELLOPTS", "errexit:noexec"));
        assertThat(ended.log()).contains("\non\n");
    }

    @Test
    void exportedFunctionsAndOptionsOfTheServerHaveNoEffect() throws Exception {
        var directory = shims.prepare(shims.order("greet; exit 4"));
        var process =
                new ProcessBuilder(
                                shims.programFile().toString(),
                                "-p",
                                directory.runScript().toString())
                        .redirectOutput(directory.log().toFile())
                        .redirectErrorStream(true);
        process.environment().put("BASH_FUNC_printf%%", "() { exit 1; }");
        process.environment().put("BASH_FUNC_greet%%", "() { echo hello; }");
        process.environment().put("BASH_ENV", "/nowhere");
        process.environment().put("BERTH_FAILPOINTS", root.toString());

        assertThat(new ProcessEnd.Exited(process.start().waitFor())).isEqualTo(shims.endOf(4));
        assertThat(ExitRecord.read(directory)).isEqualTo(new ExitRecord.Code(4));
        assertThat(directory.log())
                .content()
                .contains("\nhello\n", "===== Command Script Exit =====");
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void theNativeShimRenamesTheFileThatBecomesGo() throws Exception {
        var directory = shims.prepare(shims.order("echo ran"));
        var pending = Files.createFile(directory.path().resolve("go.pending"));
        var before = inode(pending);

        assertThat(shims.run(directory).output()).containsExactly("ran");

        assertThat(GoFile.read(directory.go())).isInstanceOf(GoFile.Taken.class);
        if (kind != ShimKind.BASH) {
            assertThat(inode(directory.go())).isEqualTo(before);
            assertThat(pending).doesNotExist();
        }
    }

    @Test
    void theFileThatBecomesGoGivesNoRightIfGoExists() throws Exception {
        var directory = shims.prepare(shims.order("echo ran >>" + root.resolve("out")));
        Files.createFile(directory.path().resolve("go.pending"));
        assertThat(GoFile.writeTombstone(directory.go())).isTrue();

        assertThat(shims.run(directory).log()).isEmpty();

        assertThat(GoFile.read(directory.go())).isInstanceOf(GoFile.Tombstone.class);
        assertThat(root.resolve("out")).doesNotExist();
    }

    @Test
    void onlyOneOfTwoShimsRenamesTheFileAndStartsTheCommand() throws Exception {
        for (int i = 0; i < 20; i++) {
            var out = root.resolve("out" + i);
            var bothRun = root.resolve("both" + i);
            var wait = "\nuntil [[ -e " + bothRun + " ]]; do sleep 0.01; done";
            var directory = shims.prepare(shims.order("echo ran >>" + out + wait));
            Files.createFile(directory.path().resolve("go.pending"));
            try (var first = shims.start(directory);
                    var second = shims.start(directory)) {
                Files.createFile(bothRun);
                var _ = first.await();
                var _ = second.await();
                var go = GoFile.read(directory.go());
                assertThat(go)
                        .isIn(new GoFile.Taken(first.shim()), new GoFile.Taken(second.shim()));
            }
            assertThat(out).hasContent("ran");
        }
    }

    @Test
    void whatIsInPlaceOfTheFileThatBecomesGoStays() throws Exception {
        var fifo = shims.prepare(shims.order("echo ran"));
        Fifo.create(fifo.path().resolve("go.pending"));
        assertThat(shims.run(fifo).output()).containsExactly("ran");
        assertThat(fifo.go()).isRegularFile();

        var link = shims.prepare(shims.order("echo ran"));
        var target = Files.writeString(root.resolve("other"), "of another program");
        Files.createSymbolicLink(link.path().resolve("go.pending"), target);
        assertThat(shims.run(link).output()).containsExactly("ran");
        assertThat(link.go()).isRegularFile();
        assertThat(target).hasContent("of another program");

        var full = shims.prepare(shims.order("echo ran"));
        Files.writeString(full.path().resolve("go.pending"), "x".repeat(200));
        assertThat(shims.run(full).output()).containsExactly("ran");
        assertThat(GoFile.read(full.go())).isInstanceOf(GoFile.Taken.class);
    }

    private static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }
}
