package dev.berth.node.shim;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.node.linux.ChildProcess;
import dev.berth.node.process.SearchPath;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Commands in copies of a shell that was loaded ahead. */
class SpareShellTest extends SpareShimsFixture {
    @Test
    void aCopyOfAShellThatWasLoadedAheadRunsTheCommand() throws Exception {
        var command =
                "echo $$ $BASHPID $SECONDS; echo \"$BERTH_ATTEMPT $LOG_FILE\"; echo $0 $PPID; exit"
                        + " 7";
        var directory = prepare(1, command);
        var given = spares.give(directory, events);

        assertThat(events.awaitCode()).isEqualTo(7);
        given.send(new byte[] {'s'});
        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));

        var log = Files.readAllLines(directory.log());
        assertThat(log).contains("h/1.1 " + directory.log());
        assertThat(log).contains(directory.path() + "/command.sh " + given.process().pid());
        assertThat(log).anyMatch(line -> line.matches("([0-9]+) \\1 0"));
        assertThat(directory.exitRecord()).hasContent("7\n");
    }

    /** A copy would otherwise have what its original has. */
    @Test
    void eachCommandHasItsOwnRandomNumbersAndNoVariablesOfTheShim() throws Exception {
        var seen = new TreeSet<String>();
        for (int task = 1; task <= 3; task++) {
            var directory = prepare(task, "echo random $RANDOM$RANDOM$RANDOM; compgen -v berth");
            var given = spares.give(directory, events);
            assertThat(events.awaitCode()).isEqualTo(1);
            seen.add(
                    Files.readAllLines(directory.log()).stream()
                            .filter(line -> line.startsWith("random "))
                            .findFirst()
                            .orElseThrow());
            assertThat(isTakenBack(given)).isTrue();
        }
        assertThat(seen).hasSize(3);
    }

    @Test
    void theNextCommandRunsInACopyThatIsMadeAhead() throws Exception {
        var given = spares.give(prepare(1, "exit 7"), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(isTakenBack(given)).isTrue();
        long copy = awaitCopy(given.process().pid());
        eventually("it is not found as a shim of the attempt", () -> isSpare(copy));

        var directory = prepare(2, "echo \"$$ $BASHPID $PPID\"");
        assertThat(spares.give(directory, events)).isSameAs(given);
        assertThat(events.awaitCode()).isZero();
        assertThat(directory.log())
                .content()
                .contains("\n%d %d %d\n".formatted(copy, copy, given.process().pid()));
        assertThat(isTakenBack(given)).isTrue();
    }

    /** It was not for the command, which did not run yet. */
    @Test
    void aSignalToAWaitingCopyDoesNotEndTheNextCommand() throws Exception {
        signalCopies("TERM");
        runThree();
    }

    @Test
    void aWaitingCopyThatIsStoppedDoesNotDelayTheNextCommand() throws Exception {
        signalCopies("STOP");
        runThree();
    }

    @Test
    void aCopyThatWasMadeAheadEndsWithItsShim() throws Exception {
        for (var spare : spareProcesses()) {
            long copy = awaitCopy(spare);
            kill(spare);
            eventually("its copy is gone", () -> !isAlive(copy));
        }
    }

    /** Their list of variables is longer than what a shim and its copy share. */
    @Test
    void aCommandWithManyVariablesRuns() throws Exception {
        var many = IntStream.range(0, 9000).mapToObj("MANY_%d=x"::formatted).toList();
        restartSparesWith(many.toArray(String[]::new));
        for (int task = 1; task <= 3; task++) {
            var directory = prepare(task, "echo \"ran $BERTH_ATTEMPT $MANY_8999\"; exit 7");
            var given = spares.give(directory, events);
            assertThat(events.awaitCode()).isEqualTo(7);
            assertThat(directory.log()).content().contains("\nran h/" + task + ".1 x\n");
            assertThat(isTakenBack(given)).isTrue();
        }
    }

    /** They are more than what a shim and its copy share. */
    @Test
    void theNextShellHasNoValuesOfTheLastAttempt() throws Exception {
        var secret = "secret".repeat(2) + "-";
        var parameters =
                parameters(
                        1,
                        "exit 7",
                        new TreeMap<>(Map.of("LONG", secret.repeat(8_000))),
                        Optional.empty());
        var given = spares.give(prepare(parameters), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(isTakenBack(given)).isTrue();
        long shim = given.process().pid();
        eventually("the shim has forgotten it", () -> !memory(shim).contains(secret));
        long copy = awaitCopy(shim);
        eventually("the copy has forgotten it", () -> !memory(copy).contains(secret));
    }

    @Test
    void aCommandDoesNotHaveTheOptionsOfTheServersShell() throws Exception {
        restartSparesWith("SHELLOPTS=errexit:noglob", "BASHOPTS=nullglob");
        assertThat(logOf("echo ran $-; false; echo on; exit 7")).contains("\nran hBc\non\n");
    }

    /** As some people wrap them for their interactive shells. */
    @Test
    void functionsWithTheNamesOfBuiltinsChangeNothing() throws Exception {
        restartSparesWith(
                Stream.of("set", "unset", "umask", "read", "trap", "export", "eval", "berth_shim")
                        .map(name -> "BASH_FUNC_" + name + "%%=() { return 1; }")
                        .toArray(String[]::new));
        assertThat(logOf("pwd; builtin umask; exit 7")).contains("\n" + root + "\n0022\n");
    }

    @Test
    void commandsRunWithoutALoadedShellIfBashCannotLoadTheShim() throws Exception {
        var bash = root.resolve("bash");
        Files.writeString(
                bash, "#!/bin/bash\n[[ $2 != *berth_shim* ]] || exit 3\nexec /bin/bash \"$@\"\n");
        Files.setPosixFilePermissions(bash, PosixFilePermissions.fromString("rwxr-xr-x"));
        spares.close();
        var path = Map.of("PATH", root + ":" + System.getenv("PATH"));
        script = new ShimScript(ShimTools.find(SearchPath.of(path)), "0022", CommandSettings.NONE);
        startSpares();
        assertThat(spareProcesses()).allMatch(spare -> children(spare).isEmpty());
        var directory = prepare(1, "echo ran; exit 7");
        var given = spares.give(directory, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        given.hangUp();
        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
        assertThat(directory.log()).content().contains("\nran\n");
    }

    /** A directory of PATH does not answer, for example. */
    @Test
    void aShellThatDoesNotLoadDelaysNoCommandAndIsTriedAgain() throws Exception {
        spares.close();
        spawner.stopped.set(1);
        spares = SpareShims.start(terms(), script);
        eventually("its shell is tried out", () -> spawner.stopped.get() == 0);
        var directory = prepare(1, "echo ran; exit 7");
        var given = spares.give(directory, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        given.hangUp();
        assertThat(directory.log()).content().contains("\nran\n");

        for (var task = new AtomicLong(2); ; ) {
            var next = spares.give(prepare(task.getAndIncrement(), "exit 8"), events);
            assertThat(events.awaitCode()).isEqualTo(8);
            next.hangUp();
            eventually("there are two", () -> spareProcesses().size() == 2);
            if (spareProcesses().stream().anyMatch(spare -> !children(spare).isEmpty())) {
                return;
            }
            assertThat(task.get()).isLessThan(100);
        }
    }

    @Test
    void aCommandHasThePathOfCommandsOnce() throws Exception {
        spares.close();
        var extra = new CommandSettings(List.of(Path.of("/opt/extra")), Optional.empty());
        script = new ShimScript(ShimTools.find(SearchPath.of(System.getenv())), "0022", extra);
        startSpares();
        var directory = prepare(1, "trap - EXIT; echo \"now $PATH\"; exit 7");
        var given = spares.give(directory, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        given.hangUp();
        assertThat(Files.readAllLines(directory.log()))
                .filteredOn(line -> line.matches("(?:PATH:|Script PATH:|now) .*"))
                .hasSize(4)
                .allMatch(line -> line.split("/opt/extra", -1).length == 2);
    }

    @Test
    void aCommandHasTheLocaleOfTheServersCaller() throws Exception {
        restartSparesWith(
                "LC_ALL=C.UTF-8",
                "BERTH_CALLER_LC_ALL=",
                "LC_CTYPE=C.UTF-8",
                "BERTH_CALLER_LC_CTYPE=POSIX");
        assertThat(logOf("env | grep -E '^(LC_|BERTH_C)'; exit 7"))
                .contains("\nLC_CTYPE=POSIX\n=====");
    }

    @Test
    void theShellOfACommandHasNothingOfTheShim() throws Exception {
        var command =
                "type berth_shim; compgen -b | grep berth; grep -c rw-s /proc/$$/maps; exit 0";
        var directory = prepare(1, command);
        var given = spares.give(directory, events);
        assertThat(events.awaitCode()).isZero();
        assertThat(isTakenBack(given)).isTrue();
        assertThat(directory.log())
                .content()
                .contains("berth_shim: not found\n0\n")
                .doesNotContain("builtin");
    }

    /** What a command prints that ends with 7. */
    private String logOf(String command) throws Exception {
        var directory = prepare(1, command);
        var given = spares.give(directory, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        given.hangUp();
        return Files.readString(directory.log());
    }

    private void signalCopies(String signal) throws IOException {
        for (var spare : spareProcesses()) {
            signal(awaitCopy(spare), signal);
        }
    }

    private void runThree() throws Exception {
        for (int task = 1; task <= 3; task++) {
            var directory = prepare(task, "echo ran; exit 7");
            var given = spares.give(directory, events);
            assertThat(events.awaitCode()).isEqualTo(7);
            assertThat(directory.log()).content().contains("\nran\n");
            assertThat(isTakenBack(given)).isTrue();
        }
    }

    private static String memory(long pid) throws IOException {
        var text = new StringBuilder();
        try (var memory = new RandomAccessFile("/proc/" + pid + "/mem", "r")) {
            for (var line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
                var range = line.split("[- ]", 3);
                if (line.contains(" rw") && !line.contains("[v")) {
                    long from = Long.parseUnsignedLong(range[0], 16);
                    var bytes = new byte[(int) (Long.parseUnsignedLong(range[1], 16) - from)];
                    try {
                        memory.seek(from);
                        memory.readFully(bytes);
                        text.append(new String(bytes, StandardCharsets.ISO_8859_1));
                    } catch (IOException unmapped) {
                        // Since its list was read.
                        continue;
                    }
                }
            }
        }
        return text.toString();
    }
}
