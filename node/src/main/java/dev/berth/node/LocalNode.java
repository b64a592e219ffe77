package dev.berth.node;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.gpu.GpuSettings;
import dev.berth.node.linux.LocalAccounts;
import dev.berth.node.progress.ProgressMonitor;
import dev.berth.node.shim.CommandSettings;
import dev.berth.node.shim.ShimScript;
import dev.berth.node.window.TmuxWindows;
import dev.berth.node.worker.WorkerSettings;
import dev.berth.port.FactReceiver;
import dev.berth.port.Failpoints;
import dev.berth.port.JobCommands;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.AttemptProcesses;
import dev.berth.port.read.ConsumptionReader;
import dev.berth.port.read.LeftoverProcesses;
import dev.berth.port.read.LogFiles;
import dev.berth.port.read.NodePorts;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.WorkerHeartbeats;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Starts, watches and ends attempts on this host. */
public final class LocalNode implements NodePorts, AutoCloseable {

    private final NodeSettings settings;
    private final NodeContext context;
    private final Map<AttemptId, AttemptRunner> runners = new ConcurrentHashMap<>();

    /**
     * @param name of this host, as stored in every record
     * @param tasksDirectory the directory that contains the task directories
     * @param stopGrace time between TERM and KILL
     * @param logCapMib disk space that the log of one attempt may use
     * @param commands applies to every command
     * @param stallAfter a task without progress for this time is reported as stalled; zero disables
     *     the check
     * @param accounts for whom tasks run; empty if all run as the user of this process
     */
    public record NodeSettings(
            String name,
            Path tasksDirectory,
            GpuSettings gpus,
            Duration stopGrace,
            long logCapMib,
            CommandSettings commands,
            TmuxWindows.WindowSettings windows,
            Duration stallAfter,
            WorkerSettings workers,
            Optional<AccountRules> accounts) {}

    private LocalNode(NodeSettings settings, NodeContext context) {
        this.settings = settings;
        this.context = context;
    }

    /** For tasks whose scripts report nothing. */
    public static LocalNode start(NodeSettings settings, Failpoints failpoints) throws IOException {
        return start(settings, failpoints, ScriptReports.NONE);
    }

    public static LocalNode start(
            NodeSettings settings, Failpoints failpoints, ScriptReports reports)
            throws IOException {
        return start(settings, failpoints, reports, new LocalAccounts(), ProcessJournal.NONE);
    }

    /**
     * @param accounts is not used if all tasks run as the user of this process
     * @param journal records every process that the node starts or signals
     */
    public static LocalNode start(
            NodeSettings settings,
            Failpoints failpoints,
            ScriptReports reports,
            Accounts accounts,
            ProcessJournal journal)
            throws IOException {
        if (settings.accounts().isPresent()) {
            OwnerFiles.prepare(settings.tasksDirectory());
        }
        return new LocalNode(
                settings, NodeContext.open(settings, failpoints, reports, accounts, journal));
    }

    @Override
    public void reportTo(FactReceiver facts) {
        context.reportTo(facts);
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public String bootId() {
        return context.bootId();
    }

    /** Identifies the home in the markers of its processes. */
    public String homeId() {
        return context.homeId();
    }

    /** Writes the scripts of attempts, also of those that another host runs. */
    public ShimScript shimScript() {
        return context.script();
    }

    /** Commands of a cluster, run as the accounts for which this node starts tasks. */
    public JobCommands jobCommands() {
        return OwnerJobCommands.of(context.launchAccounts(), context.journal());
    }

    /** Reports the progress of an attempt that another host runs, until the result is closed. */
    public ProgressMonitor.FollowedLog followProgress(AttemptId id) {
        return context.progress().follow(id, context.directory(id).log());
    }

    @Override
    public String trackingMethod() {
        return context.trackingMethod();
    }

    @Override
    public String shim() {
        return context.nativeShim().isPresent() ? "native" : "bash";
    }

    @Override
    public String probeName() {
        return context.gpus().probeName();
    }

    @Override
    public TaskLogs logs() {
        return context.logs();
    }

    @Override
    public LogFiles logFiles() {
        return context.logs();
    }

    @Override
    public ConsumptionReader consumptions() {
        return context.gpus()::consumption;
    }

    @Override
    public LeftoverProcesses leftovers() {
        return context.leftovers();
    }

    @Override
    public AttemptProcesses attemptProcesses() {
        return new LocalAttemptProcesses(context);
    }

    @Override
    public void launch(Launch order) {
        context.workers().launched(order.attempt());
        context.gpus().assign(order.attempt());
        // The thread must not hold the script as long as the attempt runs.
        var held = new AtomicReference<>(Optional.of(order));
        begin(
                order.attempt().id(),
                order.reportKey(),
                runner -> runner.launch(() -> held.getAndSet(Optional.empty()).orElseThrow()));
    }

    @Override
    public void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey) {
        context.gpus().assign(attempt);
        begin(attempt.id(), reportKey, runner -> runner.adopt(attempt, timeLimit));
    }

    @Override
    public void call(Call order) {
        context.workers().call(order);
    }

    @Override
    public WorkerHeartbeats heartbeats() {
        return context.workers();
    }

    @Override
    public void sampleGpusOften(boolean isOften) {
        context.gpus().readOften(isOften);
    }

    @Override
    public void testGpu(GpuId gpu) {
        context.gpus().test(gpu);
    }

    /** For a lost attempt, every process found for it is ended. */
    @Override
    public void stop(AttemptId id) {
        if (context.workers().cancel(id)) {
            return;
        }
        var runner = runners.get(id);
        if (runner == null) {
            begin(id, Optional.empty(), AttemptRunner::endFoundProcesses);
        } else {
            runner.stop();
        }
    }

    @Override
    public void watch(AttemptId id, ShimProcess process) {
        Optional.ofNullable(runners.get(id)).ifPresent(runner -> runner.watchNamed(process));
    }

    @Override
    public void forget(AttemptId id) {
        var runner = runners.get(id);
        if (runner == null) {
            context.gpus().awaitRelease(id);
        } else {
            runner.forget();
        }
    }

    private void begin(AttemptId id, Optional<String> reportKey, Consumer<AttemptRunner> action) {
        var runner = new AttemptRunner(id, reportKey, context);
        runners.put(id, runner);
        context.owners().begin(id);
        Thread.ofVirtual()
                .name("attempt-" + id)
                .start(
                        () -> {
                            try {
                                action.accept(runner);
                            } finally {
                                if (runners.remove(id, runner)) {
                                    context.owners().end(id);
                                }
                            }
                        });
    }

    /** Stops only the watching. Attempts keep running. */
    @Override
    public void close() throws IOException {
        runners.values().forEach(AttemptRunner::detach);
        context.close();
    }
}
