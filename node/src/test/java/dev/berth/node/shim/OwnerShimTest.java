package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.node.linux.PosixAcl;
import dev.berth.node.process.Proc;
import dev.berth.node.process.UserSwitch;
import dev.berth.port.read.Accounts.Account;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/** The shim of a command that runs as its owner. Needs root. */
@ParameterizedClass
@EnumSource
class OwnerShimTest {

    /** An account of this test alone. */
    private static final int OWNER =
            1_810_000_000 + (int) (ProcessHandle.current().pid() % 100_000);

    private static final List<String> RIGHTS =
            List.of(
                    "grep",
                    "-e",
                    "^Uid:",
                    "-e",
                    "^Gid:",
                    "-e",
                    "^Groups:",
                    "-e",
                    "^Cap",
                    "-e",
                    "^NoNewPrivs:",
                    "-e",
                    "^Seccomp:",
                    "/proc/self/status");

    @Parameter ShimKind kind;
    @TempDir Path root;
    private ShimFixture shims;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(Proc.userIdOfThisProcess() == 0, "only root can run tasks as their owners");
        shims = new ShimFixture(root, kind);
    }

    @AfterEach
    void close() throws IOException {
        if (shims != null) {
            shims.close();
        }
    }

    /** Some of these numbers belong to groups that the account is not in elsewhere. */
    @Test
    void theCommandHasExactlyTheRightsThatSetprivGives() throws Exception {
        for (var gids :
                List.of(List.of(OWNER), List.of(OWNER, 5, 1_000_000_007), List.<Integer>of())) {
            var account =
                    new Account("owner", OWNER, OWNER, root, Path.of("/bin/bash"), gids, List.of());
            var order = shims.ownedBy(account, shims.order("exec " + String.join(" ", RIGHTS)));

            var ended = shims.runOwned(order, List.of());

            var expected = new ArrayList<>(UserSwitch.to(account));
            expected.addAll(RIGHTS);
            assertThat(ended.log()).contains(outputOf(expected));
            assertThat(outputOf(expected))
                    .containsPattern("Uid:\\s" + OWNER + "\\s" + OWNER)
                    .containsPattern("CapEff:\\s0+\n");
        }
    }

    private static String outputOf(List<String> command) throws IOException {
        var process = new ProcessBuilder(command).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** As on a network file system that gives root the rights of nobody. */
    @Test
    void aWorkDirectoryClosedToRootIsUsed() throws Exception {
        var closed = Files.createDirectory(root.resolve("closed"));
        Files.setAttribute(closed, "unix:uid", OWNER);
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        var plain = shims.order("pwd; echo mine >file; cat file; exit 3");
        var order =
                new ShimParameters(
                        plain.marker(),
                        plain.command(),
                        closed,
                        plain.environment(),
                        plain.gpuIndices(),
                        plain.owner(),
                        plain.failpoints(),
                        plain.cgroupProcsFile());

        var ended =
                shims.runOwned(
                        shims.ownedBy(OWNER, order),
                        List.of(
                                "/usr/bin/setpriv",
                                "--bounding-set=-dac_override,-dac_read_search",
                                "--"));

        assertThat(ended.log()).contains("\n" + closed + "\nmine\n");
        assertThat(ended.code()).isEqualTo(3);
    }

    @Test
    void linesAndBannersAreThoseOfAHomeOfOneUser() throws Exception {
        var order = shims.with(shims.order("echo $A\nnothere\nexit 4"), Map.of("A", "one\ntwo"));

        var own = shims.run(order);
        var owned = shims.runOwned(shims.ownedBy(OWNER, order), List.of());

        assertThat(owned.log()).contains("command.sh: line 4: nothere: command not found");
        assertThat(own.log()).contains("command.sh: line 4: nothere: command not found");
        assertThat(owned.log())
                .matches(
                        "(?s)===== Scheduler Environment =====\n"
                                + "Timestamp: \\S+\n"
                                + "PATH: \\S+\n"
                                + "Python on PATH: [^\n"
                                + "]+\n"
                                + "===== Command Script Start =====\n"
                                + "Script PATH: \\S+\n"
                                + ".*===== Command Script Exit =====\n"
                                + "PATH: \\S+\n"
                                + "python -> [^\n"
                                + "]+\n");
        assertThat(owned.code()).isEqualTo(4);
    }

    @Test
    void theVariablesAreInTheScriptAndNotInTheLog() throws Exception {
        var variables = Map.of("A", "it's\none \\n \"two\"\r", "B", "", "C", "$HOME `id`");
        var order = shims.with(shims.order("printf '[%s]' \"$A\" \"$B\" \"$C\""), variables);
        var ended = shims.runOwned(shims.ownedBy(OWNER, order), List.of());
        var without = shims.runOwned(shims.ownedBy(OWNER, shims.order("true")), List.of());

        var script = Files.readString(ended.directory().commandScript());
        assertThat(ScriptText.ownerEnvironment(script)).contains(new TreeMap<>(variables));
        assertThat(ScriptText.command(script)).contains(order.command() + "\n");
        assertThat(ended.log()).contains("[it's\none \\n \"two\"\r][][$HOME `id`]");
        assertThat(without.log()).startsWith("===== Scheduler Environment =====\n");
        assertThat(
                        ScriptText.ownerEnvironment(
                                Files.readString(without.directory().commandScript())))
                .contains(new TreeMap<>());
    }

    @Test
    void theExitBannerShowsThePathAtTheEnd() throws Exception {
        var ended =
                shims.runOwned(
                        shims.ownedBy(OWNER, shims.order("export PATH=/last:$PATH")), List.of());
        var replaced =
                shims.runOwned(
                        shims.ownedBy(OWNER, shims.order("trap 'true' EXIT; PATH=/last")),
                        List.of());

        assertThat(ended.log()).containsPattern("Exit =====\nPATH: /last:\\S+\npython -> ");
        assertThat(replaced.log())
                .endsWith("PATH: " + OwnerScript.DEFAULT_PATH + "\npython -> not reported\n");
    }

    @Test
    void runShNamesTheOwnerAndKeepsItAfterFolding() throws Exception {
        var ended = shims.runOwned(shims.ownedBy(OWNER, shims.order("true")), List.of());
        var task = ended.directory().path().resolve("../..").normalize();

        assertThat(ended.directory().ownerUid()).isEqualTo(OptionalInt.of(OWNER));
        var spare = root.resolve("spare");
        assertThat(new TaskFolder(task).fold(spare)).isEqualTo(TaskFolder.Result.FOLDED);
        assertThat(new AttemptDirectory(task).ownerUid()).isEqualTo(OptionalInt.of(OWNER));
        assertThat(PosixAcl.read(task)).contains(new PosixAcl(OWNER, PosixAcl.EXECUTE));
        assertThat(PosixAcl.read(task.resolve("tmux.log")))
                .contains(new PosixAcl(OWNER, PosixAcl.READ | PosixAcl.WRITE));
    }
}
