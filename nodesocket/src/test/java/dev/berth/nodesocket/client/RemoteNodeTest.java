package dev.berth.nodesocket.client;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Ending;
import dev.berth.nodesocket.FrameChannel;
import dev.berth.nodesocket.message.FromNode;
import dev.berth.nodesocket.message.Protocol;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.nodesocket.message.ToNode;
import dev.berth.port.Fact;
import dev.berth.port.read.TaskLogs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

class RemoteNodeTest {

    private static final FromNode.Welcome WELCOME =
            new FromNode.Welcome(
                    "local", "boot", "marker", "bash", "none", "none", Path.of("/tasks"), true);

    private static final Reply.Traces TRACES = new Reply.Traces(List.of(7L), new TreeMap<>());

    @TempDir Path directory;
    private ServerSocketChannel listening;
    private final List<ToNode> received = new CopyOnWriteArrayList<>();
    private final List<FrameChannel> connections = new CopyOnWriteArrayList<>();
    private final List<Fact> facts = new CopyOnWriteArrayList<>();
    private volatile Function<ToNode, List<FromNode>> answers = this::usual;

    @BeforeEach
    void listen() throws IOException {
        listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listening.bind(UnixDomainSocketAddress.of(socket()));
        Thread.ofPlatform().daemon().start(this::serve);
    }

    @AfterEach
    void close() throws IOException {
        listening.close();
    }

    private Path socket() {
        return directory.resolve("node.sock");
    }

    private List<FromNode> usual(ToNode message) {
        return switch (message) {
            case ToNode.Hello _ -> List.of(WELCOME);
            case ToNode.Ask(long number, Query _) ->
                    List.of(new FromNode.Answer(number, new Reply.Truth(true)));
            default -> List.of();
        };
    }

    private void serve() {
        while (listening.isOpen()) {
            try (var frames = new FrameChannel(listening.accept())) {
                connections.add(frames);
                while (true) {
                    var message = Protocol.TO_NODE.decode(frames.read(1 << 20));
                    received.add(message);
                    for (var answer : answers.apply(message)) {
                        frames.write(Protocol.FROM_NODE.encode(answer));
                    }
                }
            } catch (IOException ended) {
                // The next connection.
            }
        }
    }

    private RemoteNode connect() throws IOException {
        var node =
                RemoteNode.connect(
                        socket(),
                        Files.getOwner(directory).getName(),
                        "1.0",
                        Duration.ofSeconds(20));
        node.reportTo(facts::add);
        return node;
    }

    private void breakConnection() throws IOException {
        connections.getLast().close();
    }

    @Test
    void questionsAreAnswered() throws Exception {
        try (var node = connect()) {
            assertThat(node.name()).isEqualTo("local");
            assertThat(node.leftovers().isAlive(1)).isTrue();
        }
    }

    @Test
    void afterABreakAttemptsAreAdopted() throws Exception {
        try (var node = connect()) {
            node.launch(OpenOrdersTest.launch("1.1").order());
            eventually("the launch arrives", () -> received.contains(OpenOrdersTest.launch("1.1")));
            breakConnection();
            eventually(
                    "the attempt is adopted",
                    () -> received.stream().anyMatch(ToNode.Adopt.class::isInstance));
            assertThat(received.stream().filter(ToNode.Launch.class::isInstance)).hasSize(1);
        }
    }

    /** As a node that is killed while its server starts. */
    @Test
    void whatAStartingServerAsksIsAskedAgainAfterABreak() throws Exception {
        var breaks = new AtomicInteger();
        answers =
                message ->
                        switch (message) {
                            case ToNode.Ask(long number, Query.ReadTraces _) ->
                                    breaks.getAndIncrement() == 0
                                            ? closed()
                                            : List.of(new FromNode.Answer(number, TRACES));
                            case ToNode.Ask(long number, Query.AttemptsOf _) ->
                                    breaks.getAndIncrement() == 2
                                            ? closed()
                                            : List.of(
                                                    new FromNode.Answer(
                                                            number, new Reply.Numbers(List.of(3))));
                            default -> usual(message);
                        };
        try (var node = connect()) {
            assertThat(node.traces().attempts(new TaskId(7))).isEqualTo(List.of(3));
            assertThat(connections).hasSize(3);
        }
    }

    private List<FromNode> closed() {
        try {
            breakConnection();
            return List.of();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void whileTheNodeIsAwayNothingStartsAndGpusAreUnreadable() throws Exception {
        try (var node = connect()) {
            listening.close();
            breakConnection();
            eventually(
                    "the GPUs are unreadable",
                    () ->
                            facts.stream()
                                    .anyMatch(
                                            fact ->
                                                    fact instanceof Fact.GpusRead read
                                                            && read.readFailure().isPresent()));
            node.launch(OpenOrdersTest.launch("1.1").order());
            assertThat(facts.getLast())
                    .isInstanceOfSatisfying(
                            Fact.Ended.class,
                            ended ->
                                    assertThat(ended.ending())
                                            .isInstanceOf(Ending.NotLaunched.class));
            assertThatThrownBy(
                            () ->
                                    node.logs()
                                            .tail(
                                                    AttemptId.parse("1.1"),
                                                    TaskLogs.LogPart.WHOLE,
                                                    10))
                    .isInstanceOf(TaskLogs.LogUnreadable.class)
                    .hasMessageContaining("node");
        }
    }

    @Test
    void aRefusalIsTheReason() {
        answers = _ -> List.of(new FromNode.Refused("Restart the node"));
        assertThatThrownBy(
                        () ->
                                RemoteNode.connect(
                                        socket(),
                                        Files.getOwner(directory).getName(),
                                        "1.0",
                                        Duration.ofMillis(500)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Restart the node");
    }

    @Test
    void aNodeOfAnotherUserIsNotUsed() {
        var other = System.getProperty("user.name").equals("root") ? "daemon" : "root";
        assertThatThrownBy(() -> RemoteNode.connect(socket(), other, "1.0", Duration.ofMillis(500)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not of the user " + other);
        assertThat(received).isEmpty();
    }

    @Test
    void theServerStopsWhenTheNodeAsks() throws Exception {
        answers =
                message ->
                        message instanceof ToNode.Listening
                                ? List.of(new FromNode.StopServer())
                                : usual(message);
        try (var node = connect()) {
            var stops = new CopyOnWriteArrayList<String>();
            node.onStopRequest(() -> stops.add("stop"));
            node.announce("http://127.0.0.1:1");
            eventually("it stops", () -> !stops.isEmpty());
        }
    }
}
