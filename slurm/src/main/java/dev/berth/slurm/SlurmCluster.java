package dev.berth.slurm;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.ScriptReport;
import dev.berth.port.Cluster;
import dev.berth.port.Fact;
import dev.berth.port.Node;
import dev.berth.port.read.Accounts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Runs attempts on a Slurm cluster. One thread calls Slurm's commands, which may take long; another
 * carries out orders, which need only files and must not wait for Slurm.
 */
public final class SlurmCluster implements Cluster, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SlurmCluster.class);

    private static final Duration MIN_FILE_INTERVAL = Duration.ofMillis(100);
    private static final Duration NODE_INTERVAL = Duration.ofSeconds(5);

    /** Files on a slow path are read less often. */
    private static final int FILE_SHARE = 20;

    private final SlurmParts parts;
    private final InstantSource clock;
    private final JobOwners owners;
    private final JobLists lists;
    private final HandedAttempts handed;
    private final ClusterNodes nodes;
    private final ClusterRepair repair;

    /** Where tasks could not start the last time. */
    private final Map<TaskId, String> refusedHosts = new TreeMap<>();

    /** Ends the following of a log. */
    private final Map<AttemptId, Runnable> followed = new TreeMap<>();

    private volatile Consumer<Fact> facts = _ -> {};
    private volatile boolean isClosed;
    private final Object lock = new Object();
    private final ExecutorService orders = executor("slurm-orders");
    private final ExecutorService examinations = executor("slurm-examinations");
    private final Thread commands = Thread.ofPlatform().daemon().name("slurm").unstarted(this::run);

    private Instant nextList = Instant.MIN;
    private Instant nextFiles = Instant.MIN;
    private Instant nextNodes = Instant.MIN;
    private boolean isWoken;
    private boolean isAnswering = true;

    /**
     * What the cluster is built from.
     *
     * @param bootId of this host
     * @param accounts of the owners of tasks; empty if all jobs belong to the user of this process
     * @param reports what scripts report about their own end, by key
     * @param progress follows the log of an attempt until the result is run
     */
    public record SlurmParts(
            SlurmClient client,
            SharedAttemptFiles files,
            SlurmSettings settings,
            String bootId,
            String homeId,
            Duration stopGrace,
            Optional<Accounts> accounts,
            Function<String, Optional<ScriptReport>> reports,
            Function<AttemptId, Runnable> progress) {}

    public SlurmCluster(SlurmParts parts, InstantSource clock) {
        this.parts = parts;
        this.clock = clock;
        this.owners = new JobOwners(parts.accounts(), parts.files());
        this.lists = new JobLists(parts.client(), owners, clock);
        this.repair = new ClusterRepair(parts.client());
        this.nodes = new ClusterNodes(parts.client(), parts.settings(), clock);
        var processes =
                new ExaminedProcesses(
                        parts.files(),
                        new ExaminedProcesses.Places(
                                parts.accounts().isPresent()
                                        ? Optional.empty()
                                        : Optional.of(parts.bootId()),
                                parts.homeId(),
                                parts.stopGrace(),
                                parts.client(),
                                examinations),
                        owners,
                        clock);
        this.handed = new HandedAttempts(parts.files(), processes, new Names(), this::report);
    }

    private static ExecutorService executor(String name) {
        return Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name(name).factory());
    }

    /** Begins to ask Slurm. */
    public void start(Consumer<Fact> sink) {
        facts = sink;
        commands.start();
    }

    /** The hosts of the cluster as last read. */
    public ClusterNodes nodes() {
        return nodes;
    }

    private final class Names implements GpuNames {
        @Override
        public List<Gpu> gpus(String host, List<Integer> indices) {
            return indices.stream().map(index -> nodes.gpu(host, index)).toList();
        }

        @Override
        public void notStartedOn(String host, TaskId task) {
            refusedHosts.put(task, host);
        }

        @Override
        public Optional<ScriptReport> report(String key) {
            return parts.reports().apply(key);
        }
    }

    private void report(Fact fact) {
        if (fact instanceof Fact.Placed placed) {
            refusedHosts.remove(placed.attempt().task());
            followed.put(placed.attempt(), parts.progress().apply(placed.attempt()));
        } else if (fact instanceof Fact.Ended ended) {
            Optional.ofNullable(followed.remove(ended.attempt())).ifPresent(Runnable::run);
        }
        facts.accept(fact);
    }

    @Override
    public String name() {
        return "slurm";
    }

    @Override
    public void handOver(Node.Launch order) {
        inOrder(() -> handed.handOver(order));
    }

    @Override
    public void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey) {
        inOrder(() -> handed.adopt(attempt.id(), timeLimit, reportKey));
        if (attempt.phase().stopCause().isPresent()) {
            stop(attempt.id());
        }
    }

    @Override
    public void stop(AttemptId attempt) {
        inOrder(
                () -> {
                    handed.stop(attempt, clock.instant());
                    nextList = Instant.MIN;
                });
    }

    @Override
    public void withdraw(AttemptId attempt) {
        inOrder(() -> handed.withdraw(attempt));
    }

    @Override
    public void forget(AttemptId attempt) {
        inOrder(() -> handed.forget(attempt));
    }

    /**
     * The engine's thread never waits for the lock: it is held while files of attempts are read,
     * and their file system may not answer.
     */
    private void inOrder(Runnable order) {
        orders.execute(
                () -> {
                    synchronized (lock) {
                        order.run();
                        wake();
                    }
                });
    }

    private void wake() {
        isWoken = true;
        lock.notifyAll();
    }

    private void run() {
        while (!isClosed) {
            try {
                submitDue();
                examineIfDue();
                readNodesIfDue();
                await();
            } catch (InterruptedException stopped) {
                return;
            } catch (RuntimeException defect) {
                log.error("following the cluster failed; it goes on", defect);
            }
        }
    }

    private void await() throws InterruptedException {
        synchronized (lock) {
            var wait = handed.isEmpty() ? NODE_INTERVAL : MIN_FILE_INTERVAL;
            long end = System.nanoTime() + wait.toNanos();
            long left = wait.toMillis();
            while (!isWoken && !isClosed && left > 0) {
                lock.wait(left);
                left = Duration.ofNanos(end - System.nanoTime()).toMillis();
            }
            isWoken = false;
        }
    }

    private void submitDue() {
        List<SlurmOrder.Submit> due;
        synchronized (lock) {
            due = handed.takeSubmits();
        }
        Optional<SlurmFailure> silence = Optional.empty();
        for (var order : due) {
            silence = silence.or(() -> submit(order));
            if (silence.isPresent()) {
                // The others would wait as long.
                synchronized (lock) {
                    handed.notSubmitted(order.attempt(), silence.get());
                }
            }
        }
        if (!due.isEmpty()) {
            nextList = clock.instant().plusMillis(100);
        }
    }

    /**
     * @return the failure if Slurm does not answer
     */
    private Optional<SlurmFailure> submit(SlurmOrder.Submit order) {
        var id = order.attempt();
        try {
            parts.files().prepare(order.launch());
            if (!isWatched(id)) {
                return Optional.empty();
            }
            var job =
                    parts.client()
                            .submit(
                                    parts.files().script(id),
                                    JobOptions.of(
                                            order.launch(),
                                            parts.files().directory(id).log(),
                                            parts.settings(),
                                            nodes.types(),
                                            new JobOptions.Earlier(
                                                    excluded(order.launch()),
                                                    parts.files().memoryShortages(id))),
                                    owners.of(order.launch()));
            log.info("task={} attempt={} job={} handed over", id.task(), id.number(), job);
            synchronized (lock) {
                handed.submitted(id);
            }
        } catch (SlurmFailure failure) {
            log.warn(
                    "task={} attempt={} not handed over: {}",
                    id.task(),
                    id.number(),
                    failure.reason());
            if (!failure.isRefusal()) {
                return Optional.of(failure);
            }
            synchronized (lock) {
                handed.notSubmitted(id, failure);
            }
        } catch (IOException failure) {
            log.warn(
                    "task={} attempt={} not prepared: {}",
                    id.task(),
                    id.number(),
                    failure.toString());
            synchronized (lock) {
                handed.notPrepared(id, failure);
            }
        }
        return Optional.empty();
    }

    private boolean isWatched(AttemptId id) {
        synchronized (lock) {
            return handed.isWatched(id);
        }
    }

    /** Only if another host could run it. */
    private Optional<String> excluded(Node.Launch launch) {
        synchronized (lock) {
            return Optional.ofNullable(refusedHosts.get(launch.attempt().id().task()))
                    .filter(
                            host ->
                                    nodes.all().stream()
                                            .filter(node -> !node.name().equals(host))
                                            .anyMatch(node -> JobOptions.fits(launch, node)));
        }
    }

    private void examineIfDue() throws InterruptedException {
        boolean isEmpty;
        synchronized (lock) {
            isEmpty = handed.isEmpty();
        }
        var now = clock.instant();
        if (!now.isBefore(nextList) && !isEmpty) {
            examineJobs();
            nextList = clock.instant().plus(SlurmSettings.POLL);
        } else if (!now.isBefore(nextFiles) && !isEmpty) {
            long begin = System.nanoTime();
            synchronized (lock) {
                handed.examineFiles(now);
            }
            var took = Duration.ofNanos(System.nanoTime() - begin).multipliedBy(FILE_SHARE);
            nextFiles =
                    clock.instant()
                            .plus(took.compareTo(MIN_FILE_INTERVAL) > 0 ? took : MIN_FILE_INTERVAL);
        }
    }

    private void examineJobs() {
        long requestedAt;
        boolean needsStart;
        SortedMap<Integer, AttemptId> attempts;
        synchronized (lock) {
            requestedAt = handed.acknowledged();
            needsStart = handed.needsControllerStart();
            attempts = handed.owners(clock.instant());
        }
        List<SlurmOrder.Cancel> cancels;
        try {
            var jobs = lists.read(attempts);
            Optional<Instant> start =
                    needsStart ? Optional.of(parts.client().controllerStart()) : Optional.empty();
            setAnswering(true, "");
            synchronized (lock) {
                handed.controllerStarted(start);
                cancels = handed.examine(jobs, requestedAt, clock.instant());
                handed.controllerStarted(Optional.empty());
            }
        } catch (SlurmFailure failure) {
            setAnswering(false, failure.reason());
            synchronized (lock) {
                handed.examineFiles(clock.instant());
            }
            return;
        }
        cancels.forEach(this::cancel);
        releaseGpus();
    }

    private void setAnswering(boolean isNow, String why) {
        if (isAnswering != isNow) {
            isAnswering = isNow;
            if (isNow) {
                log.info("Slurm answers again");
            } else {
                log.warn("Slurm does not answer: {}", why);
            }
        }
    }

    private void cancel(SlurmOrder.Cancel order) {
        try {
            parts.client()
                    .cancel(order.job(), order.name(), owners.of(order.attempt(), order.uid()));
        } catch (SlurmFailure failure) {
            log.warn("job {} cannot be cancelled yet: {}", order.job(), failure.reason());
        }
    }

    private void releaseGpus() {
        try {
            synchronized (lock) {
                var now = clock.instant();
                parts.files().releaseGpus(mark -> handed.isHeld(mark, now));
            }
        } catch (IOException failure) {
            log.warn("marks of GPUs cannot be read: {}", failure.toString());
        }
    }

    private void readNodesIfDue() {
        var now = clock.instant();
        if (now.isBefore(nextNodes)) {
            return;
        }
        nextNodes = now.plus(NODE_INTERVAL);
        try {
            Map<GpuId, AttemptId> held = new TreeMap<>();
            synchronized (lock) {
                handed.started()
                        .forEach(
                                one ->
                                        one.start()
                                                .ifPresent(
                                                        start ->
                                                                new Names()
                                                                        .gpus(
                                                                                start.place()
                                                                                        .host(),
                                                                                start.place()
                                                                                        .gpus())
                                                                        .forEach(
                                                                                gpu ->
                                                                                        held.put(
                                                                                                gpu
                                                                                                        .id(),
                                                                                                one
                                                                                                        .id()))));
            }
            nodes.read(held).forEach(facts);
            if (parts.settings().isHealing()) {
                repair.repair(nodes.all(), clock.instant());
            }
        } catch (SlurmFailure failure) {
            log.debug("the nodes cannot be read: {}", failure.reason());
        }
    }

    /** Jobs go on. */
    @Override
    public void close() {
        isClosed = true;
        commands.interrupt();
        orders.shutdownNow();
        examinations.shutdownNow();
        try {
            commands.join(Duration.ofSeconds(2));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
