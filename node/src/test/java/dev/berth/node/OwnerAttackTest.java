package dev.berth.node;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ShellContext;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.linux.NumberedEntries;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessStat;
import dev.berth.node.shim.LocalTaskFolders;
import dev.berth.node.shim.ShimChoice;
import dev.berth.port.Fact;
import dev.berth.port.read.Accounts.Account;
import dev.berth.port.read.LogFiles.LogSearch;
import dev.berth.port.read.TaskLogs.LogPart;

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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** What the owner of a task may try against the node, which runs as root. Needs root. */
@Isolated("its node is the parent of all orphans of this JVM")
@ParameterizedClass
@EnumSource(names = {"NATIVE", "BASH"})
class OwnerAttackTest {

    @Parameter ShimChoice choice;
    @TempDir Path root;
    private ManyUsersNode node;
    private Account alice;

    @BeforeEach
    void start() throws IOException {
        node = ManyUsersNode.start(root, 2, choice);
        alice = node.alice;
    }

    @AfterEach
    void close() throws Exception {
        if (node != null) {
            node.close();
            for (long pid : processesOf(alice)) {
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    @Test
    void variablesReachNoProgramOfRoot() throws Exception {
        var evil = Files.createDirectory(root.resolve("evil"));
        var proof = Files.createDirectory(root.resolve("proof"));
        Files.setPosixFilePermissions(proof, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(evil, PosixFilePermissions.fromString("rwxr-xr-x"));
        var script = "#!/bin/bash\necho x >>" + proof + "/uid-$(/usr/bin/id -u)\n";
        for (var name : List.of("setpriv", "sleep", "sync", "bash", "python", "conda", "env.sh")) {
            var program = Files.writeString(evil.resolve(name), script);
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        var variables = new TreeMap<String, String>();
        variables.put("LD_PRELOAD", library(evil, proof).toString());
        variables.put("BASH_ENV", evil.resolve("env.sh").toString());
        variables.put("ENV", evil.resolve("env.sh").toString());
        variables.put("PATH", evil + ":/usr/bin:/bin");
        variables.put("PS4", "$(" + evil + "/env.sh)");
        var shell = new ShellContext(variables, "0022", new TreeMap<>());

        var byTask =
                node.launch(Optional.of(ManyUsersNode.runAs(alice)), "id -u; exit 5", variables);
        var byShell =
                node.launch(
                        Optional.of(ManyUsersNode.runAs(alice, shell)),
                        "id -u; exit 5",
                        new TreeMap<>());

        for (var id : List.of(byTask, byShell)) {
            assertThat(node.end(id).ending()).isEqualTo(new Ending.Exited(5));
            assertThat(node.output(id)).contains("" + alice.uid());
        }
        try (var proofs = Files.list(proof)) {
            assertThat(proofs.map(file -> file.getFileName().toString()))
                    .as("the programs ran, and never as root")
                    .containsOnly("uid-" + alice.uid());
        }
    }

    /** Leaves a file with the user id of each process that loads it. */
    private static Path library(Path evil, Path proof) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/gcc")), "there is no gcc");
        var source =
                Files.writeString(
                        evil.resolve("evil.c"),
                        """
                        #include <fcntl.h>
                        #include <stdio.h>
                        #include <unistd.h>
                        __attribute__((constructor)) static void f(void) {
                            char path[4096];
                            snprintf(path, sizeof path, "%s/uid-%%d", (int) geteuid());
                            close(open(path, O_CREAT | O_WRONLY, 0666));
                        }
                        """
                                .formatted(proof));
        var library = evil.resolve("evil.so");
        var gcc =
                new ProcessBuilder(
                                "/usr/bin/gcc",
                                "-shared",
                                "-fPIC",
                                "-o",
                                library.toString(),
                                source.toString())
                        .inheritIO()
                        .start();
        assertThat(gcc.waitFor()).isZero();
        Files.setPosixFilePermissions(library, PosixFilePermissions.fromString("rwxr-xr-x"));
        return library;
    }

    @Test
    void theRecordCannotBeForged() throws Exception {
        var id =
                node.launch(
                        alice,
                        """
                        cd "${LOG_FILE%/*}"
                        for file in go exit_code exit_code.pending run.sh command.sh new; do
                            { echo 0 >"$file"; } 2>/dev/null && echo "wrote $file"
                            [ -e "$file" ] && rm -f "$file" 2>/dev/null && echo "removed $file"
                            mv "$file" moved 2>/dev/null && echo "moved $file"
                        done
                        ls >/dev/null 2>&1 && echo listed
                        cat go run.sh command.sh 2>/dev/null && echo read
                        chmod 777 . tmux.log 2>/dev/null && echo mode
                        for fd in 46 47 48 255; do
                            { echo 0 >"/proc/$PPID/fd/$fd"; } 2>/dev/null && echo "wrote fd $fd"
                            { echo 0 >&"$fd"; } 2>/dev/null && [ $fd != 47 ] && echo "has fd $fd"
                        done
                        echo tried
                        exit 7
                        """);

        assertThat(node.end(id).ending()).isEqualTo(new Ending.Exited(7));
        assertThat(node.output(id)).containsExactly("tried");
        assertThat(node.directory(id).exitRecord()).hasContent("7\n");
    }

    @Test
    void theShimCannotBeSignalledOrTraced() throws Exception {
        var id =
                node.launch(
                        alice,
                        """
                        for signal in KILL STOP TERM HUP INT; do
                            kill -$signal $PPID 2>/dev/null && echo "sent $signal"
                        done
                        for file in mem environ maps stack fd/48 root cwd/.; do
                            { true <"/proc/$PPID/$file"; } 2>/dev/null && echo "opened $file"
                        done
                        ls "/proc/$PPID/fd" >/dev/null 2>&1 && echo listed
                        prlimit --pid $PPID --nofile=10 2>/dev/null && echo limited
                        if command -v strace >/dev/null; then
                            timeout 2 strace -p $PPID 2>/dev/null && echo traced
                        fi
                        echo tried
                        exit 7
                        """);

        assertThat(node.end(id).ending()).isEqualTo(new Ending.Exited(7));
        assertThat(node.output(id)).containsExactly("tried");
    }

    @Test
    void theLogStaysTheNodesFile() throws Exception {
        var id =
                node.launch(
                        alice,
                        """
                        rm -f "$LOG_FILE" 2>/dev/null && echo removed
                        mkfifo "$LOG_FILE.x" 2>/dev/null && echo created
                        ln -sf /etc/shadow "$LOG_FILE" 2>/dev/null && echo linked
                        chown $UID "$LOG_FILE" 2>/dev/null && echo owned
                        if command -v perl >/dev/null; then
                            perl -e 'use Fcntl; open(F, "<", $ENV{LOG_FILE}); exit(fcntl(F, 1024, 0) ? 0 : 1)' && echo leased
                        fi
                        ln "$LOG_FILE" ~/copy && echo copied
                        echo tried
                        """);
        node.end(id);

        assertThat(node.output(id)).endsWith("tried").isSubsetOf("tried", "copied");
        var copy = alice.home().resolve("copy");
        assumeTrue(Files.exists(copy), "this system lets nobody link files of others");
        try (var folders = LocalTaskFolders.open(node.tasks())) {
            folders.discard(List.of(id.task()));
            eventually("the link is empty", () -> Files.size(copy) == 0);
        }
        assertThat(node.run(alice, "{ echo more >>~/copy; } 2>/dev/null || echo closed"))
                .containsExactly("closed");
    }

    @Test
    void aHugeHoleInTheLogStopsNoReader() throws Exception {
        var id =
                node.launch(
                        alice,
                        "echo first; truncate -s 15T \"$LOG_FILE\"; echo last; sleep 1; exit 3");

        assertThat(node.end(id).ending()).isEqualTo(new Ending.Exited(3));
        var logs = node.node().logs();
        assertThat(logs.tail(id, LogPart.WHOLE, 50).lines()).contains("last", "first");
        assertThat(logs.startOfLast(id, LogPart.WHOLE, 1_000_000).offset()).isZero();
        var files = node.node().logFiles();
        assertThat(files.search(id, LogPart.WHOLE, search("last")).total()).isOne();
        long offset = 0;
        int reads = 0;
        for (var page = files.pageFrom(id, LogPart.WHOLE, 0);
                page.next() > offset;
                page = files.pageFrom(id, LogPart.WHOLE, offset)) {
            offset = page.next();
            reads++;
        }
        assertThat(reads).isLessThan(20);
    }

    private static LogSearch search(String text) {
        return new LogSearch(text, 0, OptionalLong.empty(), 10);
    }

    @Test
    void descriptorsFillNoDisk() throws Exception {
        var id =
                node.launch(
                        alice,
                        """
                        trap - EXIT # which would wait for itself
                        (head -c 200000000 /dev/zero >&47) 2>/dev/null &
                        (head -c 200000000 /dev/zero >&46) 2>/dev/null
                        dd if=/dev/zero of=/proc/self/fd/47 bs=1M count=1 oflag=nonblock 2>/dev/null
                        sleep 0.3
                        exit 4
                        """);

        assertThat(node.end(id).ending()).isEqualTo(new Ending.Exited(4));
        try (var files = Files.list(node.directory(id).path())) {
            long bytes = 0;
            for (var file : files.toList()) {
                bytes += Files.size(file);
            }
            assertThat(bytes).isLessThan(1_000_000);
        }
    }

    @Test
    void aForkBombThatIgnoresSignalsIsEnded() throws Exception {
        var id =
                node.launch(
                        alice,
                        """
                        trap '' TERM HUP INT
                        ulimit -u 200
                        bomb() {
                            while :; do
                                (bomb) 2>/dev/null &
                                setsid bash -c 'trap "" TERM; sleep 1000' 2>/dev/null &
                                sleep 0.1
                            done
                        }
                        echo up
                        bomb 2>/dev/null
                        """);
        node.awaitLine(id, "up");
        eventually("it has grown", () -> processesOf(alice).size() > 20);

        node.node().stop(id);
        node.end(id);

        eventually("nothing is left", () -> processesOf(alice).isEmpty());
    }

    @Test
    void aProcessWithoutATraceIsEndedOrReported() throws Exception {
        var id =
                node.launch(
                        alice,
                        "env -i setsid --fork /bin/bash -c 'cd /; exec >/dev/null 2>&1; sleep 1000"
                            + " & wait'; until pgrep -U $UID sleep >/dev/null; do sleep 0.1; done");
        var ended = node.end(id);

        assertThat(ended.leftovers()).extracting(Fact.Leftover::program).contains("sleep");
        eventually("it is ended", () -> processesOf(alice).isEmpty());
    }

    @Test
    void aProcessWithoutATraceIsReportedIfItMayBeOfAnotherAttempt() throws Exception {
        var other = node.launch(alice, "echo up; sleep 1000");
        node.awaitLine(other, "up");
        var id =
                node.launch(
                        alice,
                        "env -i setsid --fork /bin/bash -c 'exec >/dev/null 2>&1; exec sleep 1001';"
                                + " until pgrep -U $UID -xf 'sleep 1001' >/dev/null; do sleep 0.1;"
                                + " done");
        var ended = node.end(id);

        assertThat(ended.leftovers())
                .anyMatch(left -> left.program().equals("sleep") && !left.wasEnded());
        node.node().stop(other);
        var last = node.end(other);
        assertThat(last.leftovers()).isNotEmpty();
        eventually("the last attempt ends it", () -> processesOf(alice).isEmpty());
    }

    @Test
    void aProcessThatCallsItselfATmuxServerIsReported() throws Exception {
        var id =
                node.launch(
                        alice,
                        "mkfifo ~/wait; setsid --fork bash -c 'printf \"tmux: server\""
                                + " >/proc/$$/comm; read -t 1000 <>~/wait' & until pgrep -U $UID"
                                + " tmux >/dev/null; do sleep 0.1; done");
        var ended = node.end(id);

        assertThat(ended.leftovers())
                .anyMatch(left -> left.program().equals("tmux: server") && !left.wasEnded());
    }

    @Test
    void theMarkerOfAnotherUsersAttemptMeansNothing() throws Exception {
        var id = node.launch(alice, "echo $BERTH_ATTEMPT; sleep 1000");
        eventually("it runs", () -> marker(id).isPresent());
        var thief =
                node.launch(
                        node.bob,
                        "BERTH_ATTEMPT=%s setsid --fork sleep 1002; until pgrep -U $UID -xf 'sleep 1002'; do sleep 0.1; done; echo up; sleep 1000"
                                .formatted(marker(id).orElseThrow()));
        node.awaitLine(thief, "up");
        long stray = processOf(node.bob, "sleep", "1002");

        assertThat(node.node().leftovers().attemptOf(stray)).isNotEqualTo(Optional.of(id));
        node.node().stop(id);
        var ended = node.end(id);
        assertThat(ended.leftovers()).extracting(Fact.Leftover::pid).doesNotContain(stray);
        assertThat(ProcessHandle.of(stray)).as("bob's process is left alone").isPresent();
        node.node().stop(thief);
        node.end(thief);
        ProcessHandle.of(stray).ifPresent(ProcessHandle::destroyForcibly);
    }

    private Optional<String> marker(AttemptId id) throws IOException {
        return node.log(id).lines().filter(line -> line.matches("[^ ]+/\\d+\\.\\d+")).findFirst();
    }

    @Test
    void aNumberIsANameAndNeverAUid() throws Exception {
        var named = node.add("123456", alice.uid() + 4);

        for (var order :
                List.of(
                        new RunAs("123456", 123_456, Optional.empty()),
                        new RunAs("" + alice.uid(), alice.uid(), Optional.empty()),
                        new RunAs("root", 0, Optional.empty()),
                        new RunAs("0", 0, Optional.empty()))) {
            var id = node.launch(Optional.of(order), "id -u", new TreeMap<>());
            assertThat(node.end(id).ending())
                    .as(order.user() + " " + order.uid())
                    .isInstanceOf(Ending.LaunchFailed.class);
        }
        assertThat(node.run(named, "id -u")).containsExactly("" + named.uid());
    }

    /** Attack 11: a server under foreign control. */
    @Test
    void anOrderToStartAsRootIsRefusedAndRecorded() throws Exception {
        node.add("toor", 0);
        node.add("daemon2", 999);
        var orders =
                List.of(
                        new RunAs("root", 0, Optional.empty()),
                        new RunAs("toor", 0, Optional.empty()),
                        new RunAs(alice.name(), 0, Optional.empty()),
                        new RunAs("daemon2", 999, Optional.empty()));
        for (var order : orders) {
            var id = node.launch(Optional.of(order), "id -u", new TreeMap<>());
            assertThat(node.end(id).ending())
                    .as(order.user() + " " + order.uid())
                    .isInstanceOf(Ending.LaunchFailed.class);
        }
        assertThat(node.journal.refused).containsExactlyElementsOf(orders);
        assertThat(node.journal.started).isEmpty();
        var nobody = node.launch(Optional.empty(), "id -u", new TreeMap<>());
        assertThat(node.end(nobody).ending()).isInstanceOf(Ending.LaunchFailed.class);
        assertThat(node.journal.started).isEmpty();
    }

    /** Any user can start a process with any variables, also those of a task that never existed. */
    @Test
    void aForgedMarkerIsNoLivingAttempt() throws Exception {
        var id = node.launch(alice, "echo $BERTH_ATTEMPT; exit 0");
        node.end(id);
        var real = marker(id).orElseThrow();
        var forged = real.replace(id + "", "999999.1");
        assertThat(forged).isNotEqualTo(real);
        var process =
                new ProcessBuilder(
                                "/usr/bin/setpriv",
                                "--reuid=" + node.bob.uid(),
                                "--regid=" + node.bob.uid(),
                                "--clear-groups",
                                "/bin/sleep",
                                "1004")
                        .directory(Path.of("/").toFile());
        process.environment().put(Marker.VARIABLE, forged);
        var running = process.start();
        try {
            eventually(
                    "it has the marker",
                    () ->
                            Proc.userId(running.pid())
                                    .filter(uid -> uid == node.bob.uid())
                                    .isPresent());
            assertThat(LocalHomeTraces.readForManyUsers(node.tasks()).living()).isEmpty();
            assertThat(LocalHomeTraces.read(node.tasks()).living()).hasSize(1);
        } finally {
            running.destroyForcibly();
        }
    }

    @Test
    void theServerCannotMakeTheNodeEndAnyProcess() throws Exception {
        var victim = new ProcessBuilder("sleep", "1003").start();
        try {
            var key = Proc.key(Proc.bootId(), victim.pid()).orElseThrow();
            var id = node.launch(alice, "echo up; sleep 1000");
            node.awaitLine(id, "up");
            node.restart();
            var recorded = new ShimProcess(key, Instant.now());
            var attempt = node.attempt(id).after(new PhaseTransition.SeenAlive(recorded));

            node.node().adopt(attempt, Optional.empty(), Optional.empty());
            node.node().watch(id, recorded);
            node.node().stop(id);
            node.end(id);

            assertThat(victim.isAlive()).isTrue();
            assertThat(node.node().attemptProcesses().named(victim.pid())).isEmpty();
        } finally {
            victim.destroyForcibly();
        }
    }

    private static List<Long> processesOf(Account account) throws IOException {
        var found = new ArrayList<Long>();
        var pids = new ArrayList<Long>();
        NumberedEntries.list("/proc", (pid, _) -> pids.add(pid));
        for (long pid : pids) {
            if (Proc.userId(pid).filter(user -> user == account.uid()).isPresent()
                    && Proc.stat(pid).filter(ProcessStat::isAlive).isPresent()) {
                found.add(pid);
            }
        }
        return found;
    }

    private static long processOf(Account account, String program, String argument)
            throws IOException {
        for (long pid : processesOf(account)) {
            var line = Files.readString(Path.of("/proc/" + pid + "/cmdline"));
            if (line.equals(program + "\0" + argument + "\0")) {
                return pid;
            }
        }
        throw new AssertionError(Map.of(program, argument) + " does not run");
    }
}
