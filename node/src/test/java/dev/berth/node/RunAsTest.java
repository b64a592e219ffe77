package dev.berth.node;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Ending;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ShellContext;
import dev.berth.node.linux.PosixAcl;
import dev.berth.node.shim.ShimChoice;
import dev.berth.port.Fact;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Tasks run as their owners. Needs root. */
@Isolated("its node is the parent of all orphans of this JVM")
@ParameterizedClass
@EnumSource(names = {"NATIVE", "BASH"})
class RunAsTest {

    @Parameter ShimChoice choice;
    @TempDir Path root;
    private ManyUsersNode node;

    @BeforeEach
    void start() throws IOException {
        node = ManyUsersNode.start(root, 1, choice);
    }

    @AfterEach
    void close() throws IOException {
        if (node != null) {
            node.close();
        }
    }

    @Test
    void aCommandHasTheUserAndTheGroupsOfItsOwnerAndNoPrivileges() throws Exception {
        var alice = node.alice;

        assertThat(
                        node.run(
                                alice,
                                "echo $UID $EUID; id -g; id -G; grep -E"
                                    + " '^Cap(Inh|Prm|Eff|Amb)|^NoNewPrivs' /proc/self/status; pwd;"
                                    + " ulimit -c >/dev/null; umask"))
                .containsExactly(
                        alice.uid() + " " + alice.uid(),
                        "" + alice.gid(),
                        alice.gid() + " " + (alice.gid() + 5),
                        "CapInh:\t0000000000000000",
                        "CapPrm:\t0000000000000000",
                        "CapEff:\t0000000000000000",
                        "CapAmb:\t0000000000000000",
                        "NoNewPrivs:\t0",
                        alice.home().toString(),
                        "0022");
    }

    @Test
    void withoutAShellTheAccountGivesTheEnvironment() throws Exception {
        var alice = node.alice;

        assertThat(node.run(alice, "env | grep -E '^(HOME|USER|LOGNAME|SHELL)=' | sort"))
                .containsExactly(
                        "HOME=" + alice.home(), "LOGNAME=alice", "SHELL=/bin/bash", "USER=alice");
        assertThat(node.run(alice, "echo $PATH; echo ${JAVA_HOME-none} ${MAVEN_OPTS-none}"))
                .as("nothing of the node's own environment")
                .containsExactly(
                        "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
                        "none none");
    }

    @Test
    void theShellOfTheSubmitGivesEnvironmentUmaskAndLimits() throws Exception {
        var shell =
                new ShellContext(
                        new TreeMap<>(
                                Map.of(
                                        "PATH", "/opt/x/bin:/home/a/.venv/bin:/usr/bin:/bin",
                                        "GREETING", "it's\ntwo \\lines $HOME",
                                        "OVERRIDDEN", "by the shell",
                                        "LOG_FILE", "/nowhere",
                                        "BERTH_ATTEMPT", "x/1.1",
                                        "IFS", "x",
                                        "SHLVL", "7",
                                        "bad.name", "dropped",
                                        "BASH_FUNC_module%%", "() {  echo module \"$1\"\n}")),
                        "0027",
                        new TreeMap<>(Map.of("nofile", 321L, "core", 0L, "nproc", 1L << 40)));
        var id =
                node.launch(
                        Optional.of(ManyUsersNode.runAs(node.alice, shell)),
                        "echo \"$GREETING\"; echo $OVERRIDDEN; echo $PATH; umask; ulimit -Sn;"
                            + " ulimit -Sc; module load; bash -c 'module x'; echo ${HOME-no home};"
                            + " a='1 2'; set -- $a; echo $#",
                        new TreeMap<>(Map.of("OVERRIDDEN", "by the task")));
        node.end(id);

        assertThat(node.output(id))
                .containsExactly(
                        "it's",
                        "two \\lines $HOME",
                        "by the task",
                        "/opt/x/bin:/usr/bin:/bin",
                        "0027",
                        "321",
                        "0",
                        "module load",
                        "module x",
                        "no home",
                        "2");
    }

    @Test
    void theLogIsWritableByAllItsNames() throws Exception {
        var lines =
                node.run(
                        node.alice,
                        "echo one >>/dev/stderr; echo two >>/dev/stdout; echo three"
                                + " >>\"$LOG_FILE\"; tail -n 1 \"$LOG_FILE\"");

        assertThat(lines).containsExactly("one", "two", "three", "three");
        var truncating = node.launch(node.alice, "set -e; echo 1 >/dev/stderr; echo 2 >$LOG_FILE");
        assertThat(node.end(truncating).ending()).isEqualTo(new Ending.Exited(0));
    }

    @Test
    void everyFileHasItsMode() throws Exception {
        var alice = node.alice;
        var id = node.launch(alice, "echo up; exit 3");
        assertThat(node.end(id).ending()).isEqualTo(new Ending.Exited(3));
        var directory = node.directory(id).path();

        for (var level : List.of(directory, directory.getParent(), directory.resolve("../.."))) {
            assertThat(PosixAcl.read(level.normalize()))
                    .contains(new PosixAcl(alice.uid(), PosixAcl.EXECUTE));
            assertThat(mode(level.normalize())).isEqualTo("rwx--x---");
        }
        assertThat(PosixAcl.read(directory.resolve("tmux.log")))
                .contains(new PosixAcl(alice.uid(), PosixAcl.READ | PosixAcl.WRITE));
        assertThat(mode(directory.resolve("tmux.log"))).isEqualTo("rw-rw----");
        assertThat(PosixAcl.read(directory.resolve("exit_code")))
                .contains(new PosixAcl(alice.uid(), PosixAcl.READ));
        assertThat(directory.resolve("exit_code")).hasContent("3\n");
        assertThat(Files.exists(directory.resolve("exit_code.pending")))
                .as("the native shim renames it")
                .isEqualTo(choice == ShimChoice.BASH);
        for (var name : List.of("go", "run.sh", "command.sh")) {
            assertThat(PosixAcl.read(directory.resolve(name))).as(name).isEmpty();
            assertThat(mode(directory.resolve(name))).as(name).isEqualTo("rw-------");
        }
        try (var files = Files.list(directory)) {
            assertThat(files.toList())
                    .allSatisfy(
                            file ->
                                    assertThat(Files.getAttribute(file, "unix:uid"))
                                            .as(file.toString())
                                            .isEqualTo(0));
        }
        assertThat(mode(node.tasks())).isEqualTo("rwx--x--x");
    }

    @Test
    void anotherUserReadsNothing() throws Exception {
        var id = node.launch(node.alice, "echo secret");
        node.end(id);
        var directory = node.directory(id).path();

        assertThat(
                        node.run(
                                node.bob,
                                "for f in tmux.log exit_code run.sh command.sh go; do cat '%s'/$f; done 2>/dev/null; ls '%s' '%s' 2>/dev/null; echo done"
                                        .formatted(directory, directory, node.tasks())))
                .containsExactly("done");
    }

    @Test
    void anAccountThatChangedIsRefused() throws Exception {
        var alice = node.alice;
        var system = node.add("daemon2", 12);

        assertThat(refusal(new RunAs("alice", alice.uid() + 1, Optional.empty())))
                .isEqualTo(
                        "the account alice has uid %s now, but had uid %s when the task was submitted"
                                .formatted(alice.uid(), alice.uid() + 1));
        assertThat(refusal(new RunAs("carol", 4711, Optional.empty())))
                .isEqualTo("there is no account carol on this machine");
        assertThat(refusal(ManyUsersNode.runAs(system)))
                .isEqualTo("no task runs as daemon2: it is an account of the system");
        var without = node.launch(Optional.empty(), "true", new TreeMap<>());
        assertThat(node.end(without).ending())
                .isEqualTo(new Ending.LaunchFailed("it names no account to run as"));
    }

    private String refusal(RunAs runAs) {
        var ended = node.end(node.launch(Optional.of(runAs), "echo ran >&2", new TreeMap<>()));
        assertThat(ended.ending()).isInstanceOf(Ending.LaunchFailed.class);
        return ((Ending.LaunchFailed) ended.ending()).reason();
    }

    @Test
    void aRestartedNodeAdoptsAndEndsTheProcessesOfTheOwner() throws Exception {
        var id = node.launch(node.alice, "setsid sleep 1000 & echo up; sleep 1000");
        node.awaitLine(id, "up");
        node.restart();

        node.node().adopt(node.attempt(id), Optional.empty(), Optional.empty());
        eventually(
                "it is adopted",
                () -> node.facts.stream().anyMatch(Fact.Adopted.class::isInstance));
        node.node().stop(id);
        var ended = node.end(id);

        assertThat(ended.leftovers())
                .extracting(Fact.Leftover::program)
                .contains("sleep", "sleep")
                .doesNotContain("java");
        assertThat(ended.leftovers()).allMatch(Fact.Leftover::wasEnded);
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
