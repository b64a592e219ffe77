package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.RunAs;
import dev.berth.files.TimeLimitedCalls;
import dev.berth.files.UserPaths;
import dev.berth.node.gpu.GpuMonitor;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.AttemptTraces;
import dev.berth.node.process.Cgroups;
import dev.berth.node.process.CommandSearch;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Marker;
import dev.berth.node.process.OrphanReaper;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessSet;
import dev.berth.node.process.ProcessTable;
import dev.berth.node.process.ProcessTracking;
import dev.berth.node.process.SearchPath;
import dev.berth.node.process.Signals;
import dev.berth.node.process.Sweep;
import dev.berth.node.progress.ProgressMonitor;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.NativeShim;
import dev.berth.node.shim.ShimProgram;
import dev.berth.node.shim.ShimScript;
import dev.berth.node.shim.ShimTools;
import dev.berth.node.shim.SpareDirectories;
import dev.berth.node.shim.SpareShims;
import dev.berth.node.window.TmuxWindows;
import dev.berth.node.worker.WorkerFiles;
import dev.berth.node.worker.Workers;
import dev.berth.port.Fact;
import dev.berth.port.FactReceiver;
import dev.berth.port.Failpoints;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.LeftoverProcesses;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** What all attempts of a node share: settings, process tracking, spawner, GPU monitoring. */
final class NodeContext implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NodeContext.class);

    private static final int FILE_THREADS = 32;

    /** Short tasks often come in series. */
    private static final Duration KEEP_SPARES = Duration.ofSeconds(10);

    /**
     * Local files answer in microseconds. Many attempts of a new server wait for a thread; that
     * says nothing about a file.
     */
    private static final TimeLimitedCalls.Limits ATTEMPT_FILE_LIMITS =
            new TimeLimitedCalls.Limits(
                    Duration.ofSeconds(10), Duration.ofMinutes(2), 1, FILE_THREADS);

    private final LocalNode.NodeSettings settings;
    private final Failpoints failpoints;
    private final ScriptReports reports;
    private final ProcessJournal journal;
    private final String bootId;
    private final Instant bootTime;
    private final String home;
    private final Spawner spawner = Spawner.forThisHost();
    private final ExitWatcher exitWatcher;
    private final Optional<Cgroups> cgroups;
    private final Optional<OrphanReaper> orphans;
    private final ProcessTable table;
    private final Sweep sweep;
    private final ShimScript script;
    private final Optional<NativeShim> nativeShim;
    private final Optional<SpareShims> spareShims;
    private final SpareDirectories spareDirectories;
    private final TmuxWindows windows;
    private final StorageMonitor storage;
    private final ProgressMonitor progress;
    private final GpuMonitor gpus;
    private final LocalLogs logs;
    private final LaunchAccounts launchAccounts;
    private final AttemptOwners owners;
    private final Workers workers;
    private final ExecutorService fileThreads = fileThreadPool();
    private final TimeLimitedCalls attemptFiles =
            new TimeLimitedCalls(fileThreads, ATTEMPT_FILE_LIMITS);
    private final UserPaths userPaths = UserPaths.withOwnThreads();
    private volatile FactReceiver facts = _ -> {};

    private NodeContext(
            LocalNode.NodeSettings settings,
            Failpoints failpoints,
            ScriptReports reports,
            Accounts accounts,
            ProcessJournal journal)
            throws IOException {
        this.settings = settings;
        this.journal = journal;
        this.failpoints = failpoints;
        this.reports = reports;
        this.bootId = Proc.bootId();
        this.bootTime = Proc.bootTime();
        this.home = homeId(settings.tasksDirectory());
        this.exitWatcher = ExitWatcher.start();
        boolean isForManyUsers = settings.accounts().isPresent();
        this.launchAccounts = new LaunchAccounts(settings.accounts(), accounts);
        this.owners = new AttemptOwners(settings.tasksDirectory(), isForManyUsers);
        this.cgroups =
                ProcessTracking.AUTO.choose(
                        Cgroups.find(), isForManyUsers && spawner.entersCgroups());
        // A cgroup knows its processes better than their parents do.
        this.orphans =
                isForManyUsers && cgroups.isEmpty()
                        ? Optional.of(OrphanReaper.start())
                        : Optional.empty();
        this.table = new ProcessTable(home);
        this.sweep =
                new Sweep(new Signals(Pidfd.isSupported()), System::nanoTime, journal::signalled);
        var searchPath = SearchPath.of(System.getenv());
        var tools = ShimTools.find(isForManyUsers ? SearchPath.SYSTEM : searchPath);
        this.script = new ShimScript(tools, umask(), settings.commands());
        this.nativeShim = NativeShim.open(settings.commands().shim(), spawner);
        // What starts ahead has no cgroup, and a shell has the user of this process.
        this.spareShims =
                nativeShim
                        .filter(_ -> cgroups.isEmpty() && !exitWatcher.isPolling())
                        .filter(_ -> isForManyUsers || SpareShims.isPossible())
                        .map(shim -> spareShims(shim, isForManyUsers));
        this.spareDirectories = SpareDirectories.open(settings.tasksDirectory());
        this.windows = new TmuxWindows(settings.windows(), searchPath);
        this.storage = new StorageMonitor(settings, fact -> facts.accept(fact));
        this.logs = new LocalLogs(settings.tasksDirectory());
        this.progress =
                new ProgressMonitor(
                        settings.stallAfter(), System::nanoTime, fact -> facts.accept(fact));
        this.gpus =
                GpuMonitor.open(
                        settings.name(),
                        home,
                        settings.gpus(),
                        id -> AttemptDirectory.of(settings.tasksDirectory(), id).gpuUseFile(),
                        owners.isForManyUsers()
                                ? Optional.of(owners::mayBelong)
                                : Optional.empty());
        this.workers =
                new Workers(
                        settings.workers(),
                        workerFiles(),
                        fact -> facts.accept(fact),
                        gpus,
                        failpoints);
    }

    private WorkerFiles workerFiles() {
        return new WorkerFiles() {
            @Override
            public AttemptDirectory directory(AttemptId attempt) {
                return AttemptDirectory.of(settings.tasksDirectory(), attempt);
            }

            @Override
            public OptionalInt reader(RunAs owner) throws IOException {
                return launchAccounts.uid(owner);
            }
        };
    }

    /** A limit, because a server may find hundreds of attempts at its start. */
    private static ExecutorService fileThreadPool() {
        var threads = Thread.ofPlatform().daemon().name("attempt-files-", 1).factory();
        var pool =
                new ThreadPoolExecutor(
                        FILE_THREADS,
                        FILE_THREADS,
                        1,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        threads);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    static NodeContext open(
            LocalNode.NodeSettings settings,
            Failpoints failpoints,
            ScriptReports reports,
            Accounts accounts,
            ProcessJournal journal)
            throws IOException {
        var context = new NodeContext(settings, failpoints, reports, accounts, journal);
        if (context.exitWatcher.isPolling()) {
            log.warn(
                    "this kernel has no pidfds: the end of a task is detected by polling once a"
                            + " second");
        }
        return context;
    }

    /**
     * Identifies this home among several on one host. It is built from device and inode, so it
     * survives a move of the directory.
     */
    static String homeId(Path tasks) throws IOException {
        var identity = Files.readAttributes(tasks, "unix:dev,ino");
        return HexFormat.of().toHexDigits(identity.hashCode()) + "-" + identity.get("ino");
    }

    private static String umask() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("Umask:"))
                .map(line -> line.substring("Umask:".length()).strip())
                .findFirst()
                .orElse("0022");
    }

    void reportTo(FactReceiver sink) {
        facts = sink;
        gpus.reportTo(sink);
        storage.start();
        progress.start();
    }

    Workers workers() {
        return workers;
    }

    void report(Fact fact) {
        report(List.of(fact), () -> {});
    }

    /**
     * @param together are stored in one commit
     * @param stored is called once they are durable, if this process learns that
     */
    void report(List<Fact> together, Runnable stored) {
        failpoints.reach("node.before-report");
        together.forEach(workers::observe);
        facts.accept(together, stored);
    }

    String bootId() {
        return bootId;
    }

    Instant bootTime() {
        return bootTime;
    }

    String homeId() {
        return home;
    }

    String trackingMethod() {
        return cgroups.isPresent() ? "cgroup" : "marker";
    }

    LocalLogs logs() {
        return logs;
    }

    LocalNode.NodeSettings settings() {
        return settings;
    }

    Failpoints failpoints() {
        return failpoints;
    }

    ScriptReports reports() {
        return reports;
    }

    Spawner spawner() {
        return spawner;
    }

    ExitWatcher exitWatcher() {
        return exitWatcher;
    }

    Sweep sweep() {
        return sweep;
    }

    AttemptOwners owners() {
        return owners;
    }

    ProcessJournal journal() {
        return journal;
    }

    LaunchAccounts launchAccounts() {
        return launchAccounts;
    }

    /** The account of a running attempt's command, by the attempt's own files. */
    Optional<Accounts.Account> ownerAccount(AttemptId id) {
        var uid = owners.uid(id);
        if (!owners.isForManyUsers() || uid.isEmpty()) {
            return Optional.empty();
        }
        try {
            return launchAccounts.accounts().withUid((int) uid.getAsLong());
        } catch (IOException unreadable) {
            log.warn("attempt={} the account cannot be read: {}", id, unreadable.toString());
            return Optional.empty();
        }
    }

    ShimScript script() {
        return script;
    }

    /** Empty if bash runs all shims. */
    Optional<NativeShim> nativeShim() {
        return nativeShim;
    }

    private SpareShims spareShims(NativeShim shim, boolean isForOwners) {
        var terms =
                new SpareShims.Terms(
                        shim, spawner, exitWatcher, settings.tasksDirectory(), KEEP_SPARES);
        return isForOwners ? SpareShims.startForOwners(terms) : SpareShims.start(terms, script);
    }

    SpareDirectories spareDirectories() {
        return spareDirectories;
    }

    /** Empty if every shim starts with its attempt. */
    Optional<SpareShims> spareShims() {
        return spareShims;
    }

    TmuxWindows windows() {
        return windows;
    }

    GpuMonitor gpus() {
        return gpus;
    }

    StorageMonitor storage() {
        return storage;
    }

    ProgressMonitor progress() {
        return progress;
    }

    AttemptDirectory directory(AttemptId id) {
        return AttemptDirectory.find(settings.tasksDirectory(), id);
    }

    /**
     * A missing file of an attempt proves nothing if the whole directory of tasks is another one
     * than at the start, for example because its file system is not mounted.
     */
    void requireTasksDirectory() throws IOException {
        if (!homeId(settings.tasksDirectory()).equals(home)) {
            throw new IOException(settings.tasksDirectory() + " is not the directory it was");
        }
    }

    /** Reads files of attempts that may not answer; the place is the attempt. */
    TimeLimitedCalls attemptFiles() {
        return attemptFiles;
    }

    UserPaths userPaths() {
        return userPaths;
    }

    Marker marker(AttemptId id) {
        return new Marker(home, id.toString());
    }

    /** True if the shim is created in its cgroup; otherwise it moves there itself. */
    boolean entersCgroupAtStart() {
        return cgroups.isPresent() && spawner.entersCgroups();
    }

    /** Creates the cgroup of an attempt that is about to start, if attempts have one. */
    Optional<Path> createCgroup(AttemptId id) throws IOException {
        return cgroups.isPresent()
                ? Optional.of(cgroups.get().create(cgroupName(id)))
                : Optional.empty();
    }

    /** Call when no process of the attempt is left. */
    void removeCgroup(AttemptId id) {
        try {
            var group = existingCgroup(id);
            if (group.isPresent()) {
                Cgroups.remove(group.get());
            }
        } catch (IOException busy) {
            log.warn("attempt={} its cgroup cannot be removed: {}", id, busy.toString());
        }
    }

    /** An attempt that started without a cgroup has none, even if later ones do. */
    private Optional<Path> existingCgroup(AttemptId id) {
        return cgroups.flatMap(all -> all.find(cgroupName(id)));
    }

    private String cgroupName(AttemptId id) {
        return "berth-" + home + "-" + id;
    }

    /**
     * True if this process may be the shim of the attempt. On a node for many users neither a
     * person nor the server decides that: the node could be made to end any process.
     */
    boolean mayBeShim(AttemptId id, ProcessKey process) {
        return !owners.isForManyUsers()
                || owners.mayBelong(process.pid(), id)
                || isRootsShim(process.pid(), directory(id));
    }

    private boolean isRootsShim(long pid, AttemptDirectory directory) {
        try {
            return Proc.userId(pid).equals(Optional.of(Proc.userIdOfThisProcess()))
                    && CommandSearch.matches(pid, ShimProgram.arguments(directory));
        } catch (IOException unreadable) {
            return false;
        }
    }

    ProcessSet processSet(AttemptId id, Optional<ProcessKey> shim) throws IOException {
        return new ProcessSet(
                new AttemptTraces(
                        marker(id),
                        shim,
                        existingCgroup(id),
                        owners.uid(id),
                        owners.isOnlyOneOfItsUser(id)),
                table);
    }

    LeftoverProcesses leftovers() {
        return new LocalLeftovers(home, table, sweep, settings.stopGrace(), owners);
    }

    @Override
    public void close() throws IOException {
        gpus.close();
        progress.close();
        storage.close();
        spareShims.ifPresent(SpareShims::close);
        spareDirectories.close();
        exitWatcher.close();
        if (orphans.isPresent()) {
            orphans.get().close();
        }
        workers.close();
        if (nativeShim.isPresent()) {
            nativeShim.get().close();
        }
        // Not awaited: a file may not answer.
        fileThreads.shutdownNow();
    }
}
