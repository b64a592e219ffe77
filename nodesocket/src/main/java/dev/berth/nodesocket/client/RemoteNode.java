package dev.berth.nodesocket.client;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.ShimProcess;
import dev.berth.nodesocket.Outbox;
import dev.berth.nodesocket.PeerUser;
import dev.berth.nodesocket.message.FromNode;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.nodesocket.message.ToNode;
import dev.berth.port.Fact;
import dev.berth.port.FactReceiver;
import dev.berth.port.JobCommands;
import dev.berth.port.PasswordCheck;
import dev.berth.port.TaskFolders;
import dev.berth.port.read.AttemptProcesses;
import dev.berth.port.read.ConsumptionReader;
import dev.berth.port.read.LeftoverProcesses;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.NodePorts;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.WorkerHeartbeats;
import dev.berth.port.recover.HomeTraces;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A node that is another process. While it is away, tasks go on, and nothing is started: a launch
 * waits for the node for a few seconds and is withdrawn then.
 */
public final class RemoteNode implements NodePorts, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RemoteNode.class);

    /** A node that is restarted is back before this. */
    private static final Duration AWAY_GRACE = Duration.ofSeconds(5);

    /** A wrong password takes seconds, and several may wait. */
    private static final Duration PASSWORD_LIMIT = Duration.ofSeconds(45);

    /** The node ends a command that does not answer before this. */
    private static final Duration JOB_COMMAND_LIMIT = Duration.ofSeconds(20);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

    private static final String RESTARTED = "the connection to the node was interrupted";

    private final CompletableFuture<FromNode.Welcome> first = new CompletableFuture<>();
    private final PendingQueries queries = new PendingQueries();
    private final Link link = new Link();
    private volatile Runnable stopRequest = () -> {};

    /** Guards all fields below: orders, facts and connections must have one order. */
    private final Object lock = new Object();

    private final OpenOrders open = new OpenOrders();
    private @Nullable Outbox outbox;
    private @Nullable NodeLink connection;
    private @Nullable Consumer<Fact> facts;
    private String url = "";
    private String awayReason = "the node was not asked yet";
    private long awaySince = System.nanoTime();
    private boolean isAwayReported;

    private RemoteNode() {}

    /**
     * Waits for the node.
     *
     * @param user whom the node must run as
     * @param version of this program
     * @throws IOException the node did not answer in time
     */
    public static RemoteNode connect(Path socket, String user, String version, Duration timeLimit)
            throws IOException {
        var node = new RemoteNode();
        var settings = new NodeLink.LinkSettings(socket, PeerUser.named(user), version);
        node.connection = NodeLink.start(settings, node.link);
        try {
            node.first.get(timeLimit.toMillis(), TimeUnit.MILLISECONDS);
            return node;
        } catch (TimeoutException late) {
            var why = node.awayReason();
            node.close();
            throw new IOException(why, late);
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("the greeting cannot fail", impossible);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            node.close();
            throw new IOException("interrupted while waiting for the node", interrupted);
        }
    }

    private String awayReason() {
        synchronized (lock) {
            return awayReason;
        }
    }

    /** What happens on the connection. */
    private final class Link implements NodeLink.Listener {

        @Override
        public void onConnected(FromNode.Welcome welcome, Outbox to) throws IOException {
            var before = first.getNow(welcome);
            if (!welcome.name().equals(before.name())
                    || !welcome.bootId().equals(before.bootId())) {
                throw new IOException("it is another node than before: " + welcome.name());
            }
            List<Fact> known = List.of();
            synchronized (lock) {
                if (facts != null) {
                    known = open.failedWorkers(RESTARTED);
                    send(to, new ToNode.Report());
                    open.resend().forEach(order -> send(to, order));
                }
                if (!url.isEmpty()) {
                    send(to, new ToNode.Listening(url));
                }
                outbox = to;
                isAwayReported = false;
                lock.notifyAll();
            }
            known.forEach(RemoteNode.this::deliver);
            first.complete(welcome);
        }

        @Override
        public void onMessage(FromNode message) {
            switch (message) {
                case FromNode.Reported(Fact fact) -> {
                    synchronized (lock) {
                        open.observe(fact);
                    }
                    deliver(fact);
                }
                case FromNode.Answer(long number, Reply reply) -> queries.answered(number, reply);
                case FromNode.StopServer _ -> stopRequest.run();
                case FromNode.Alive _ -> {}
                case FromNode.Welcome _, FromNode.Refused _ ->
                        log.warn("the node sent {} twice", message.getClass().getSimpleName());
            }
        }

        @Override
        public void onBroken(String why) {
            synchronized (lock) {
                if (outbox != null) {
                    awaySince = System.nanoTime();
                }
                outbox = null;
                awayReason = why;
            }
            queries.failAll(why);
        }

        @Override
        public void onTick() {
            List<Fact> consequences;
            synchronized (lock) {
                boolean isAway =
                        outbox == null && System.nanoTime() - awaySince > AWAY_GRACE.toNanos();
                if (!isAway || facts == null) {
                    return;
                }
                consequences = new ArrayList<>();
                if (!isAwayReported) {
                    isAwayReported = true;
                    consequences.add(
                            new Fact.GpusRead(
                                    name(), List.of(), List.of(), Optional.of(awayReason)));
                }
                // After the reading: no task starts again on these GPUs.
                consequences.addAll(open.withdrawUnsent(awayReason));
            }
            consequences.forEach(RemoteNode.this::deliver);
        }
    }

    private void deliver(Fact fact) {
        Consumer<Fact> receiver;
        synchronized (lock) {
            receiver = facts;
        }
        if (receiver != null) {
            receiver.accept(fact);
        }
    }

    private static void send(Outbox to, ToNode message) {
        to.send(NodeLink.encode(message));
    }

    @Override
    public void reportTo(FactReceiver receiver) {
        synchronized (lock) {
            facts = receiver;
            if (outbox != null) {
                send(outbox, new ToNode.Report());
            }
        }
    }

    /** Sets what happens when the node asks this server to stop; it must return at once. */
    public void onStopRequest(Runnable action) {
        stopRequest = action;
    }

    /** Tells the node where this server accepts requests. */
    public void announce(String address) {
        synchronized (lock) {
            url = address;
            if (outbox != null) {
                send(outbox, new ToNode.Listening(address));
            }
        }
    }

    private void order(ToNode.Order order) {
        Optional<Fact> known;
        synchronized (lock) {
            boolean isLaunch = order instanceof ToNode.Launch || order instanceof ToNode.Call;
            if (isAwayReported && isLaunch && outbox == null) {
                known = withdraw(order);
            } else {
                known = open.add(order, outbox != null);
                if (outbox != null) {
                    send(outbox, order);
                }
            }
        }
        known.ifPresent(this::deliver);
    }

    private Optional<Fact> withdraw(ToNode.Order order) {
        return order instanceof ToNode.Launch(var launch)
                ? Optional.of(OpenOrders.notLaunched(launch.attempt(), awayReason))
                : Optional.empty();
    }

    /**
     * Asks the node and waits for its answer.
     *
     * @throws IOException the node does not answer, or failed to carry out what was asked
     */
    <T extends Reply> T ask(Query query, Class<T> type, Duration timeLimit) throws IOException {
        var reply =
                queries.ask(
                        query,
                        timeLimit,
                        message -> {
                            synchronized (lock) {
                                if (outbox == null) {
                                    throw new NodeAway(awayReason);
                                }
                                send(outbox, message);
                            }
                        });
        if (reply instanceof Reply.Failed(String why)) {
            throw new IOException(why);
        }
        if (!type.isInstance(reply)) {
            throw new IOException("the node answered another question");
        }
        return type.cast(reply);
    }

    /**
     * Asks again after a new connection if this one breaks. The node may have carried out the same
     * query twice.
     *
     * @param timeLimit for an answer, with all connections
     */
    <T extends Reply> T askRepeatedly(Query query, Class<T> type, Duration timeLimit)
            throws IOException {
        long end = System.nanoTime() + timeLimit.toNanos();
        while (true) {
            try {
                return ask(query, type, timeLimit);
            } catch (NodeAway away) {
                if (!awaitConnection(end)) {
                    throw away;
                }
            }
        }
    }

    /** False if the time is over. */
    private boolean awaitConnection(long end) {
        try {
            synchronized (lock) {
                do {
                    lock.wait(LOOK_AGAIN.toMillis());
                } while (outbox == null && System.nanoTime() - end < 0);
                return System.nanoTime() - end < 0;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    List<AttemptId> openAttempts() {
        synchronized (lock) {
            return open.openAttempts();
        }
    }

    private FromNode.Welcome welcome() {
        return first.join();
    }

    @Override
    public String name() {
        return welcome().name();
    }

    @Override
    public String bootId() {
        return welcome().bootId();
    }

    @Override
    public String trackingMethod() {
        return welcome().trackingMethod();
    }

    @Override
    public String shim() {
        return welcome().shim();
    }

    @Override
    public String probeName() {
        return welcome().probeName();
    }

    /** Where the node reads its GPUs, as configured. */
    public String gpus() {
        return welcome().gpus();
    }

    @Override
    public void launch(Launch order) {
        order(new ToNode.Launch(order));
    }

    @Override
    public void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey) {
        order(new ToNode.Adopt(attempt, timeLimit, reportKey));
    }

    @Override
    public void call(Call order) {
        order(new ToNode.Call(order));
    }

    @Override
    public void sampleGpusOften(boolean isOften) {
        order(new ToNode.SampleGpusOften(isOften));
    }

    @Override
    public void testGpu(GpuId gpu) {
        order(new ToNode.TestGpu(gpu));
    }

    @Override
    public void stop(AttemptId attempt) {
        order(new ToNode.Stop(attempt));
    }

    @Override
    public void watch(AttemptId attempt, ShimProcess process) {
        order(new ToNode.Watch(attempt, process));
    }

    @Override
    public void forget(AttemptId attempt) {
        order(new ToNode.Forget(attempt));
    }

    @Override
    public TaskLogs logs() {
        return new RemoteLogs(this, welcome().tasks());
    }

    @Override
    public LogFiles logFiles() {
        return new RemoteLogs(this, welcome().tasks());
    }

    @Override
    public ConsumptionReader consumptions() {
        return new RemoteConsumptions(this);
    }

    @Override
    public LeftoverProcesses leftovers() {
        return new RemoteProcesses(this);
    }

    @Override
    public AttemptProcesses attemptProcesses() {
        return new RemoteProcesses(this);
    }

    @Override
    public WorkerHeartbeats heartbeats() {
        return new RemoteProcesses(this);
    }

    /** The folders of ended tasks. */
    public TaskFolders folders() {
        return new RemoteFolders(this);
    }

    /** Passwords are checked by the node: only root may. Empty if its configuration says no. */
    public Optional<PasswordCheck> passwords() {
        return welcome().checksPasswords() ? Optional.of(this::checkPassword) : Optional.empty();
    }

    private PasswordCheck.Verdict checkPassword(PasswordCheck.Login login) {
        try {
            var query = new Query.CheckPassword(login);
            return ask(query, Reply.Password.class, PASSWORD_LIMIT).verdict();
        } catch (IOException away) {
            return new PasswordCheck.Verdict.Unavailable(String.valueOf(away.getMessage()));
        }
    }

    /** Commands of a cluster that the node runs as the owners of tasks. */
    public JobCommands jobCommands() {
        return (attempt, account, program, arguments) -> {
            var query = new Query.RunJobCommand(attempt, account, program, arguments);
            return ask(query, Reply.JobCommand.class, JOB_COMMAND_LIMIT).result();
        };
    }

    /** What the node shows about its tasks now. */
    public HomeTraces traces() throws IOException {
        return RemoteTraces.read(this);
    }

    @Override
    public void close() {
        var link = connection;
        if (link != null) {
            try {
                link.close();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
