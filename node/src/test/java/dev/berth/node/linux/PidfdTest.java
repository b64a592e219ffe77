package dev.berth.node.linux;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class PidfdTest {
    private static final Path NOWHERE = Path.of("/dev/null");

    @Test
    void pidfdsAreSupportedHere() {
        assertThat(Pidfd.isSupported()).isTrue();
    }

    @Test
    void signalsOnlyTheProcessItHolds() throws IOException {
        var pid = spawn("sleep", "100");
        try (var pidfd = Pidfd.open(pid).orElseThrow()) {
            assertThat(pidfd.status()).contains(new ChildProcess.Status.Running());
            assertThat(pidfd.send(Signal.TERM)).isTrue();
            var end =
                    present(
                            "it ended",
                            () ->
                                    pidfd.status()
                                            .filter(
                                                    ChildProcess.Status.Signalled.class
                                                            ::isInstance));
            assertThat(end).isEqualTo(new ChildProcess.Status.Signalled(15));

            assertThat(pidfd.status()).as("looking leaves it a zombie").isPresent();
            assertThat(pidfd.reap()).isPresent();
            assertThat(pidfd.status()).as("it is nobody's now").isEmpty();
            assertThat(pidfd.send(Signal.KILL)).isFalse();
        }
        assertThat(Pidfd.open(pid)).isEmpty();
    }

    @Test
    void reportsTheExitCode() throws IOException {
        var pid = spawn("bash", "-c", "exit 7");
        try (var pidfd = Pidfd.open(pid).orElseThrow()) {
            eventually(
                    "it ended",
                    () -> pidfd.status().equals(Optional.of(new ChildProcess.Status.Exited(7))));
            pidfd.reap();
        }
    }

    @Test
    void theStatusOfAnotherParentsChildIsUnknown() throws IOException {
        try (var init = Pidfd.open(1).orElseThrow()) {
            assertThat(init.status()).isEmpty();
        }
    }

    @Test
    void neverSignalsGroupsOrAllProcesses() {
        for (var pid : List.of(1L, 0L, -1L, -5L)) {
            assertThatThrownBy(() -> Pidfd.sendByPid(pid, Signal.KILL))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void epollReportsEndsUntilRemovedAndCanBeWoken() throws IOException {
        var pid = spawn("true");
        try (var epoll = Epoll.open();
                var pidfd = Pidfd.open(pid).orElseThrow()) {
            epoll.add(pidfd, 42);
            assertThat(tokens(epoll)).containsExactly(42L);
            epoll.remove(pidfd);
            epoll.wake();
            assertThat(tokens(epoll)).containsExactly(Epoll.WOKEN);
            pidfd.reap();
        }
    }

    private static List<Long> tokens(Epoll epoll) throws IOException {
        var tokens = new ArrayList<Long>();
        epoll.await(tokens::add);
        return tokens;
    }

    private static long spawn(String... command) throws IOException {
        var words = new ArrayList<>(List.of("/usr/bin/env"));
        words.addAll(List.of(command));
        return PosixSpawner.find()
                .orElseThrow()
                .spawn(new Spawner.SpawnRequest(words, NOWHERE, Optional.empty()))
                .pid();
    }
}
