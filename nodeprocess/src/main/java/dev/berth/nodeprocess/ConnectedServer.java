package dev.berth.nodeprocess;

import dev.berth.node.LocalNode;
import dev.berth.nodesocket.FrameChannel;
import dev.berth.nodesocket.Outbox;
import dev.berth.nodesocket.message.FromNode;
import dev.berth.nodesocket.message.Protocol;
import dev.berth.nodesocket.message.ToNode;
import dev.berth.port.Fact;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One connection of a server, with a {@link LocalNode} of its own. At its end only the watching
 * stops: attempts go on, and the next server adopts them, as after a restart of a server that has
 * its node in its own process.
 */
final class ConnectedServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ConnectedServer.class);

    /** A server that takes no facts for this time is stopped or gone. */
    private static final long MAX_WAITING_BYTES = 8L << 20;

    private static final Duration ALIVE_INTERVAL = Duration.ofSeconds(1);
    private static final int QUERY_THREADS = 8;
    private static final int MAX_WAITING_QUERIES = 1000;

    private final FrameChannel frames;
    private final LocalNode node;
    private final QueryAnswers answers;
    private final NamedProcesses named;
    private final NodeProcess.Listener listener;
    private final Outbox outbox;
    private final ThreadPoolExecutor queries =
            new ThreadPoolExecutor(
                    QUERY_THREADS,
                    QUERY_THREADS,
                    10,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(MAX_WAITING_QUERIES),
                    Thread.ofPlatform().daemon().name("query-", 1).factory());
    private final Thread alive;

    private ConnectedServer(
            FrameChannel frames,
            LocalNode node,
            QueryAnswers answers,
            NodeProcess.Listener listener) {
        this.frames = frames;
        this.node = node;
        this.answers = answers;
        this.named = new NamedProcesses(answers.tasks(), node.attemptProcesses());
        this.listener = listener;
        queries.allowCoreThreadTimeOut(true);
        this.outbox = Outbox.start(frames, MAX_WAITING_BYTES, "server-writer");
        this.alive = Thread.ofPlatform().daemon().name("server-alive").unstarted(this::tick);
    }

    static ConnectedServer open(
            FrameChannel frames,
            LocalNode node,
            QueryAnswers answers,
            NodeProcess.Listener listener) {
        var connection = new ConnectedServer(frames, node, answers, listener);
        connection.alive.start();
        return connection;
    }

    void send(FromNode message) {
        outbox.send(Protocol.FROM_NODE.encode(message));
    }

    /** Carries out what the server sends until the connection ends. */
    void serve() {
        try {
            while (true) {
                carryOut(Protocol.TO_NODE.decode(frames.read(Protocol.MAX_TO_NODE_BYTES)));
            }
        } catch (EOFException | ClosedChannelException ended) {
            log.info("the server has closed its connection");
        } catch (IOException broken) {
            log.warn("the connection to the server has ended: {}", broken.toString());
        }
    }

    private void carryOut(ToNode message) throws IOException {
        switch (message) {
            case ToNode.Report _ -> node.reportTo(this::report);
            case ToNode.Listening(String url) -> listener.onListening(url);
            case ToNode.Ask ask -> answer(ask);
            case ToNode.Launch(var order) -> node.launch(order);
            case ToNode.Adopt(var attempt, var timeLimit, var reportKey) ->
                    node.adopt(named.checked(attempt), timeLimit, reportKey);
            case ToNode.Call(var order) -> node.call(order);
            case ToNode.Stop(var attempt) -> node.stop(attempt);
            case ToNode.Watch(var attempt, var process) -> {
                if (named.isOf(attempt, process)) {
                    node.watch(attempt, process);
                }
            }
            case ToNode.Forget(var attempt) -> node.forget(attempt);
            case ToNode.TestGpu(var gpu) -> node.testGpu(gpu);
            case ToNode.SampleGpusOften(boolean isOften) -> node.sampleGpusOften(isOften);
            case ToNode.Hello _ -> throw new IOException("the server greets twice");
        }
    }

    private void report(Fact fact) {
        if (!(fact instanceof Fact.OfServer)) {
            send(new FromNode.Reported(fact));
        }
    }

    /** Many at once, and none delays an order. */
    private void answer(ToNode.Ask ask) throws IOException {
        try {
            queries.execute(
                    () -> send(new FromNode.Answer(ask.number(), answers.answer(ask.query()))));
        } catch (RejectedExecutionException tooMany) {
            throw new IOException("the server asks too much at once", tooMany);
        }
    }

    private void tick() {
        while (true) {
            LockSupport.parkNanos(ALIVE_INTERVAL.toNanos());
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            send(new FromNode.Alive());
        }
    }

    @Override
    public void close() {
        alive.interrupt();
        queries.shutdownNow();
        outbox.close();
        try {
            node.close();
        } catch (IOException failure) {
            log.warn("closing the node failed: {}", failure.toString());
        }
    }
}
