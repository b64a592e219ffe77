package dev.berth.node.shim;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.id.AttemptId;
import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Signal;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.CommandSearch;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.SearchPath;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

class SpareShimsTest {
    @TempDir Path root;
    private NativeShim shim;
    private ShimScript script;
    private ExitWatcher watcher;
    private SpareShims spares;
    private final ShimEvents events = new ShimEvents();
    private final RefusingSpawner spawner = new RefusingSpawner();

    /** Starts no process, or each with more variables, as a test sets it. */
    private static final class RefusingSpawner implements Spawner {
        private final Spawner real = Spawner.forThisHost();
        private volatile boolean isRefusing;
        private volatile List<String> variables = List.of();

        @Override
        public Spawned spawn(SpawnRequest order) throws IOException {
            if (isRefusing) {
                throw new IOException("no process");
            }
            return real.spawn(variables.isEmpty() ? order : withVariables(order));
        }

        private SpawnRequest withVariables(SpawnRequest order) {
            var environment = new ArrayList<>(variables);
            var names = variables.stream().map(one -> one.split("=", 2)[0]).toList();
            System.getenv().entrySet().stream()
                    .filter(one -> !names.contains(one.getKey()))
                    .forEach(one -> environment.add(one.getKey() + "=" + one.getValue()));
            return new SpawnRequest(
                    order.command(),
                    order.log(),
                    order.exitRecord(),
                    Optional.of(environment),
                    order.cgroup(),
                    order.input());
        }

        @Override
        public boolean opensExitRecord() {
            return real.opensExitRecord();
        }

        @Override
        public boolean entersCgroups() {
            return real.entersCgroups();
        }
    }

    @BeforeEach
    void start() throws IOException {
        ShimChoices.require(ShimChoice.NATIVE);
        shim = NativeShim.open(ShimChoice.NATIVE, Spawner.forThisHost()).orElseThrow();
        var tools = ShimTools.find(SearchPath.of(System.getenv()));
        script = new ShimScript(tools, "0022", CommandSettings.NONE);
        watcher = ExitWatcher.start();
        startSpares();
    }

    private SpareShims.Terms terms() {
        return new SpareShims.Terms(
                shim, spawner, watcher, root.resolve("tasks"), Duration.ofMillis(200));
    }

    private void startSpares() {
        spares = SpareShims.start(terms(), script);
        eventually("spares are there", () -> spareProcesses().size() == 2);
    }

    private void restartSparesWith(String... variables) {
        spares.close();
        spawner.variables = List.of(variables);
        startSpares();
    }

    @AfterEach
    void close() throws IOException {
        if (spares != null) {
            spares.close();
            watcher.close();
            shim.close();
        }
    }

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
    void aRunningShellCarriesTheMarkerAndItsShimIsFoundByItsCommand() throws Exception {
        var directory = prepare(1, "echo ready; while :; do read -t 0.1 <> <(:); done");
        var given = spares.give(directory, events);
        eventually("it runs", () -> Files.readString(directory.log()).contains("\nready\n"));

        var shell = children(given.process().pid()).getFirst();
        assertThat(Proc.variable(shell, Marker.VARIABLE).value()).contains("h/1.1");
        assertThat(Proc.variable(shell, "LOG_FILE").value()).contains(directory.log().toString());
        assertThat(CommandSearch.find(ShimProgram.arguments(directory)))
                .hasValueSatisfying(key -> assertThat(key.pid()).isEqualTo(given.process().pid()));

        kill(shell);
        assertThat(events.awaitCode()).isEqualTo(137);
        given.hangUp();
        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
    }

    @Test
    void anIdleSpareEndsWithTheServer() throws Exception {
        var before = new ArrayList<>(spareProcesses());
        assertThat(before).hasSize(2);
        for (var spare : List.copyOf(before)) {
            before.add(awaitCopy(spare));
        }
        spares.close();

        eventually("all are gone", () -> before.stream().noneMatch(SpareShimsTest::isAlive));
    }

    @Test
    void aCommandRunsAlthoughAllSparesWereKilled() throws Exception {
        for (var spare : children(ProcessHandle.current().pid())) {
            if (isSpare(spare)) {
                kill(spare);
            }
        }
        var directory = prepare(1, "echo ran");
        var given = spares.give(directory, events);
        given.hangUp();

        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
        assertThat(directory.log()).content().contains("\nran\n");
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

    @Test
    void aCommandRunsAlthoughTheCopyThatWasMadeAheadWasKilled() throws Exception {
        var spares = new ArrayList<>(spareProcesses());
        for (var spare : spares) {
            kill(awaitCopy(spare));
        }
        var directory = prepare(1, "echo \"ran $BERTH_ATTEMPT\"; exit 7");
        var given = this.spares.give(directory, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(directory.log()).content().contains("\nran h/1.1\n");
        assertThat(isTakenBack(given)).isTrue();
        assertThat(spares).contains(given.process().pid());
    }

    /** It was not for the command, which did not run yet. */
    @Test
    void aSignalToAWaitingCopyDoesNotEndTheNextCommand() throws Exception {
        for (var spare : spareProcesses()) {
            signal(awaitCopy(spare), Signal.TERM);
        }
        for (int task = 1; task <= 3; task++) {
            var directory = prepare(task, "echo ran; exit 7");
            var given = spares.give(directory, events);
            assertThat(events.awaitCode()).isEqualTo(7);
            assertThat(directory.log()).content().contains("\nran\n");
            assertThat(isTakenBack(given)).isTrue();
        }
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
        eventually("it is a spare again", () -> isSpare(given.process().pid()));

        assertThat(memory(awaitCopy(given.process().pid()))).doesNotContain(secret);
        assertThat(memory(given.process().pid())).doesNotContain(secret);
    }

    private static String memory(long pid) throws IOException {
        var text = new StringBuilder();
        try (var memory = new RandomAccessFile("/proc/" + pid + "/mem", "r")) {
            for (var line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
                var range = line.split("[- ]", 3);
                if (line.contains(" rw") && !line.contains("[v")) {
                    long from = Long.parseUnsignedLong(range[0], 16);
                    var bytes = new byte[(int) (Long.parseUnsignedLong(range[1], 16) - from)];
                    memory.seek(from);
                    memory.readFully(bytes);
                    text.append(new String(bytes, StandardCharsets.ISO_8859_1));
                }
            }
        }
        return text.toString();
    }

    @Test
    void aTombstonePreventsTheStart() throws Exception {
        var directory = prepare(1, "echo ran");
        assertThat(GoFile.writeTombstone(directory.go())).isTrue();
        var given = spares.give(directory, events);

        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(75));
        given.hangUp();
        assertThat(directory.log()).isEmptyFile();
    }

    @Test
    void aSpareIsReplacedWhileItsCommandRuns() throws Exception {
        var given = spares.give(prepare(1, "until [[ -e ready ]]; do :; done"), events);
        eventually("two are idle", () -> spareProcesses().size() == 2);
        Files.createFile(root.resolve("ready"));

        assertThat(events.awaitCode()).isZero();
        given.hangUp();
    }

    @Test
    void sparesThatWereUsedAreReplaced() throws Exception {
        var given = new ArrayList<ConnectedShim>();
        for (int task = 1; task <= 5; task++) {
            given.add(spares.give(prepare(task, "exit " + task), events));
        }
        for (var one : given) {
            one.hangUp();
            assertThat(ChildProcess.await(one.process().pid()))
                    .contains(new ChildProcess.Status.Exited(0));
        }
        eventually("two are idle", () -> spareProcesses().size() == 2);
    }

    @Test
    void aShimServesTheNextAttemptWhenTheEndOfItsAttemptIsStored() throws Exception {
        var first = prepare(1, "export LEFT=1; trap '' INT; exit 7");
        var given = spares.give(first, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(isTakenBack(given)).isTrue();
        eventually("it is a spare again", () -> isSpare(given.process().pid()));

        var second =
                prepare(
                        3,
                        "echo \"$SECONDS $BERTH_ATTEMPT ${LEFT-}\"; until [[ -e ready ]]; do :;"
                                + " done; kill -INT $$; sleep 60");
        var again = spares.give(second, events);
        assertThat(again).isEqualTo(given);
        eventually("it runs", () -> Files.readString(second.log()).contains("\n0 h/3.1 \n"));
        assertThat(CommandSearch.find(ShimProgram.arguments(second)))
                .hasValueSatisfying(key -> assertThat(key.pid()).isEqualTo(given.process().pid()));
        assertThat(CommandSearch.find(ShimProgram.arguments(first))).isEmpty();
        assertThat(descriptors(given.process().pid()))
                .anyMatch(file -> file.contains("task_3"))
                .noneMatch(file -> file.contains("task_1"));
        Files.createFile(root.resolve("ready"));
        assertThat(events.awaitCode()).isEqualTo(130);
        again.send(new byte[] {'s'});

        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
        assertThat(second.exitRecord()).hasContent("130\n");
        assertThat(first.exitRecord()).hasContent("7\n");
    }

    /** Its memory is still in the caches of the processors. */
    @Test
    void theShimThatCameBackLastIsUsedFirst() throws Exception {
        var first = spares.give(prepare(1, "exit 1"), events);
        var second = spares.give(prepare(2, "exit 2"), events);
        assertThat(events.awaitCode() + events.awaitCode()).isEqualTo(3);
        assertThat(isTakenBack(first)).isTrue();
        assertThat(isTakenBack(second)).isTrue();

        var third = spares.give(prepare(3, "exit 3"), events);
        assertThat(events.awaitCode()).isEqualTo(3);
        assertThat(third).isSameAs(second);
        assertThat(isTakenBack(third)).isTrue();
    }

    @Test
    void aShimServesManyAttemptsOneAfterAnother() throws Exception {
        var pids = new TreeSet<Long>();
        for (int task = 1; task <= 50; task++) {
            var directory = prepare(task, "echo ran $BERTH_ATTEMPT; exit " + task);
            var given = spares.give(directory, events);
            assertThat(events.awaitCode()).isEqualTo(task);
            assertThat(directory.log()).content().contains("\nran h/" + task + ".1\n");
            assertThat(directory.exitRecord()).hasContent(task + "\n");
            pids.add(given.process().pid());
            assertThat(isTakenBack(given)).isTrue();
        }
        assertThat(pids).hasSizeLessThan(10);
        eventually("two are idle", () -> spareProcesses().size() == 2);
    }

    @Test
    void aShimThatComesBackEndsWhenTheServerCloses() throws Exception {
        var given = spares.give(prepare(1, "exit 7"), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(isTakenBack(given)).isTrue();
        spares.close();

        assertThat(isAlive(given.process().pid())).isFalse();
        var late = spares.give(prepare(2, "exit 8"), events);
        assertThat(events.awaitCode()).isEqualTo(8);
        assertThat(isTakenBack(late)).isFalse();
        eventually("it has ended", () -> !isAlive(late.process().pid()));
    }

    @Test
    void notAllOfManyAreKept() throws Exception {
        var given = new ArrayList<ConnectedShim>();
        for (int task = 1; task <= 20; task++) {
            given.add(spares.give(prepare(task, "exit 0"), events));
        }
        for (int task = 1; task <= 20; task++) {
            assertThat(events.awaitCode()).isZero();
        }
        assertThat(given.stream().filter(this::isTakenBack)).hasSizeLessThan(20);
        eventually("two are left", () -> spareProcesses().size() == 2);
    }

    /** Its command could start no process either. */
    @Test
    void noSpareIsUsedWhileNoProcessCanBeStarted() throws Exception {
        var given = spares.give(prepare(1, "exit 7"), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        giveToTheOther();
        spawner.isRefusing = true;
        assertThatThrownBy(() -> spares.give(prepare(3, "exit 8"), events))
                .hasMessage("no process");
        assertThat(isTakenBack(given)).isTrue();
        eventually("it is a spare again", () -> isSpare(given.process().pid()));
        assertThatThrownBy(() -> spares.give(prepare(4, "exit 8"), events))
                .hasMessage("no process");

        spawner.isRefusing = false;
        var fresh = spares.give(prepare(5, "exit 9"), events);
        assertThat(events.awaitCode()).isEqualTo(9);
        assertThat(isTakenBack(fresh)).isTrue();
        var again = spares.give(prepare(6, "exit 10"), events);
        assertThat(events.awaitCode()).isEqualTo(10);
        assertThat(isTakenBack(again)).isTrue();
    }

    @Test
    void aSpareThatWasKilledIsReportedToNoAttempt() throws Exception {
        for (var spare : children(ProcessHandle.current().pid())) {
            if (isSpare(spare)) {
                kill(spare);
            }
        }
        var given = spares.give(prepare(1, "exit 7"), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        given.send(new byte[] {'s'});
        assertThat(events.awaitEnd()).isEqualTo(NativeShim.ALL_GONE);
        given.close();
    }

    /** Bash reads these options when it starts. */
    @Test
    void aShellIsLoadedAheadAlthoughItEndsAtTheFirstError() throws Exception {
        restartSparesWith("SHELLOPTS=errexit");
        for (int task = 1; task <= 3; task++) {
            var directory = prepare(task, "echo ran $-; false; echo not reached");
            var given = spares.give(directory, events);
            assertThat(events.awaitCode()).isEqualTo(1);
            assertThat(isTakenBack(given)).isTrue();
            assertThat(directory.log()).content().contains("\nran ehBc\n").doesNotContain("not r");
        }
    }

    @Test
    void commandsRunWithoutALoadedShellIfTheEnvironmentChangesWhatItDoes() throws Exception {
        restartSparesWith("BASH_FUNC_berth_shim%%=() { return 0; }");
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
        spawner.variables = List.of("BASH_FUNC_export%%=() { kill -STOP $$; }");
        spares = SpareShims.start(terms(), script);
        var directory = prepare(1, "echo ran; exit 7");
        var given = spares.give(directory, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        given.hangUp();
        assertThat(directory.log()).content().contains("\nran\n");

        spawner.variables = List.of("OTHER=1");
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
        var directory = prepare(1, "env | grep -E '^(LC_|BERTH_C)'; exit 7");
        var given = spares.give(directory, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        given.hangUp();
        assertThat(directory.log()).content().contains("\nLC_CTYPE=POSIX\n=====");
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

    /** The number under which bash keeps its script is then too high. */
    @Test
    void aShimKeepsNoFileOfAnAttemptIfFewDescriptorsAreAllowed() throws Exception {
        for (var spare : spareProcesses()) {
            var limit = new ProcessBuilder("prlimit", "--pid", "" + spare, "--nofile=200");
            assertThat(limit.inheritIO().start().waitFor()).isZero();
        }
        var given = spares.give(prepare(1, "exit 7"), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(isTakenBack(given)).isTrue();
        eventually("it is a spare again", () -> isSpare(given.process().pid()));
        assertThat(descriptors(given.process().pid())).noneMatch(file -> file.contains("task_1"));
    }

    @Test
    void aShimServesNoOtherAttemptIfItsCommandChangedThePriorityOfAll() throws Exception {
        var given = spares.give(prepare(1, "renice -n 5 -g $PPID; exit 7"), events);

        assertThat(events.awaitEnd()).isEqualTo(NativeShim.ALL_GONE);
        assertThat(events.codes()).as("of a shim that stays").isEmpty();
        given.close();
    }

    /** The kernel has one for each session, and a shim keeps its session. */
    @Test
    void aShimServesNoOtherAttemptIfItsCommandChangedThePriorityOfItsSession() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/proc/self/autogroup")), "needs autogroups");
        var given = spares.give(prepare(1, "echo 5 >/proc/self/autogroup; exit 7"), events);

        assertThat(events.awaitEnd()).isEqualTo(NativeShim.ALL_GONE);
        assertThat(events.codes()).as("of a shim that stays").isEmpty();
        given.close();
    }

    /** The disk is slow for the node and for the shim. */
    @Test
    void anAttemptRunsAlthoughItsShimBeganToSyncTheRecordOfTheLastOne() throws Exception {
        var points = Files.createDirectory(root.resolve("points"));
        var armed = Files.createFile(points.resolve("shim.before-sync.arm"));
        var given = spares.give(prepare(1, "exit 7", Optional.of(points)), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        eventually("it syncs", () -> Files.exists(points.resolve("shim.before-sync.hit")));
        for (var spare : spareProcesses()) {
            kill(spare);
        }
        assertThat(isTakenBack(given)).isTrue();
        assertThat(spares.give(prepare(3, "exit 8"), events)).isEqualTo(given);
        Files.delete(armed);

        assertThat(events.awaitCode()).isEqualTo(8);
        given.hangUp();
        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
    }

    private boolean isTakenBack(ConnectedShim shim) {
        shim.forgetAttempt();
        return spares.takeBack(shim);
    }

    private void giveToTheOther() throws Exception {
        var other = spares.give(prepare(2, "exit 0"), new ShimEvents());
        other.hangUp();
        assertThat(ChildProcess.await(other.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
    }

    /** The process that waits for the next attempt of a spare. */
    private static long awaitCopy(long spare) {
        eventually("it has a copy", () -> children(spare).size() == 1);
        return children(spare).getFirst();
    }

    private static List<String> descriptors(long pid) throws IOException {
        var files = new ArrayList<String>();
        try (var links = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            for (var link : links) {
                files.add(Files.readSymbolicLink(link).toString());
            }
        }
        return files;
    }

    private AttemptDirectory prepare(long task, String command) throws IOException {
        return prepare(task, command, Optional.empty());
    }

    private AttemptDirectory prepare(long task, String command, Optional<Path> failpoints)
            throws IOException {
        return prepare(parameters(task, command, new TreeMap<>(), failpoints));
    }

    private AttemptDirectory prepare(ShimParameters parameters) throws IOException {
        var id = AttemptId.parse(parameters.marker().attempt());
        var directory = AttemptDirectory.of(root.resolve("tasks"), id);
        directory.prepare(script, parameters, script.program(Optional.of(shim), parameters));
        return directory;
    }

    private ShimParameters parameters(
            long task,
            String command,
            SortedMap<String, String> environment,
            Optional<Path> failpoints) {
        return new ShimParameters(
                new Marker("h", task + ".1"),
                command,
                root,
                environment,
                List.of(),
                Optional.empty(),
                failpoints,
                Optional.empty());
    }

    private List<Long> spareProcesses() throws IOException {
        var processes = new ArrayList<Long>();
        for (var spare : children(ProcessHandle.current().pid())) {
            if (isSpare(spare)) {
                processes.add(spare);
            }
        }
        return processes;
    }

    private boolean isSpare(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline")).contains("\0-s\0" + root);
        } catch (IOException gone) {
            return false;
        }
    }

    private static List<Long> children(long parent) {
        return ProcessHandle.of(parent).stream()
                .flatMap(ProcessHandle::children)
                .map(ProcessHandle::pid)
                .toList();
    }

    private static boolean isAlive(long pid) {
        try {
            return Proc.stat(pid).filter(stat -> stat.isAlive()).isPresent();
        } catch (IOException gone) {
            return false;
        }
    }

    private static void signal(long pid, Signal signal) throws IOException {
        try (var process = Pidfd.open(pid).orElseThrow()) {
            assertThat(process.send(signal)).isTrue();
        }
    }

    private static void kill(long pid) throws IOException {
        signal(pid, Signal.KILL);
        eventually("it has ended", () -> !isAlive(pid));
    }
}
